package alert

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/smtp"
	"net/url"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// mailServer is where e-mail is handed over.
type mailServer struct {
	address, host, user, password, from string
	implicit                            bool // TLS from the first byte
}

// parseMail reads smtp://USER:PASSWORD@HOST:587?from=umpire@example.com, or smtps://.
func parseMail(text string) (*mailServer, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, fault.New(fault.BadRequest, "UMPIRE_SMTP is no mail server", "smtp://USER:PASSWORD@HOST:587?from=umpire@example.com, or smtps://…:465")
	}
	m := &mailServer{host: u.Hostname(), user: u.User.Username(), implicit: u.Scheme == "smtps", from: u.Query().Get("from")}
	m.password, _ = u.User.Password()
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "587", true: "465"}[m.implicit]
	}
	m.address = net.JoinHostPort(m.host, port)
	if m.from == "" {
		m.from = "umpire@" + m.host
	}
	if strings.ContainsAny(m.from, "\r\n<>") {
		return nil, fault.New(fault.BadRequest, "UMPIRE_SMTP has a sender that is no address", "from=umpire@example.com")
	}
	return m, nil
}

func (e *Engine) mail(ctx context.Context, to string, m Message) error {
	s := e.smtp
	if s == nil {
		return errors.New("no mail server is set (UMPIRE_SMTP)")
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.address)
	if err != nil {
		return fmt.Errorf("cannot reach the mail server: %w", err)
	}
	defer conn.Close() //nolint:errcheck // the message is handed over, or was not
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	config := &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12, RootCAs: e.opt.MailRoots}
	if s.implicit {
		conn = tls.Client(conn, config)
	}
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return fmt.Errorf("the mail server does not answer: %w", err)
	}
	defer c.Close() //nolint:errcheck // see above
	if ok, _ := c.Extension("STARTTLS"); ok && !s.implicit {
		if err := c.StartTLS(config); err != nil {
			return fmt.Errorf("cannot encrypt to the mail server: %w", err)
		}
	}
	if s.user != "" {
		// PlainAuth gives the password to nobody but the host, and only under TLS or
		// on this machine.
		if err := c.Auth(smtp.PlainAuth("", s.user, s.password, s.host)); err != nil {
			return fmt.Errorf("the mail server refuses the sign-in: %w", err)
		}
	}
	if err := hand(c, s.from, to, letter(s.from, to, m)); err != nil {
		return fmt.Errorf("the mail server refuses the message: %w", err)
	}
	return nil
}

func hand(c *smtp.Client, from, to string, text []byte) error {
	if err := c.Mail(from); err != nil {
		return err
	}
	if err := c.Rcpt(to); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return c.Quit()
}

// letter is the message as an e-mail.
func letter(from, to string, m Message) []byte {
	var b bytes.Buffer
	line := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, value) }
	line("From", from)
	line("To", to)
	line("Subject", mime.QEncoding.Encode("utf-8", cut(strings.Join(strings.Fields(m.Title), " "), 200)))
	line("Date", m.At.Format(time.RFC1123Z))
	line("Message-ID", "<"+m.ID+"@umpire>")
	line("Auto-Submitted", "auto-generated")
	line("MIME-Version", "1.0")
	line("Content-Type", "text/plain; charset=utf-8")
	line("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(m.text() + "\n\n" + m.Link + "\n")) // a buffer takes it all
	_ = w.Close()
	return b.Bytes()
}
