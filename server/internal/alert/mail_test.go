package alert_test

import (
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/umpire-mcp/umpire/server/internal/alert"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// office is a mail server (go-smtp) that takes mail of one user alone, and keeps how it
// came.
type office struct {
	mu      sync.Mutex
	letters []letter
}

type letter struct {
	encrypted      bool
	user, from, to string
	text           string
}

func (o *office) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &clerk{office: o, conn: c}, nil
}

type clerk struct {
	office *office
	conn   *smtp.Conn
	now    letter
}

func (c *clerk) AuthMechanisms() []string { return []string{sasl.Plain} }

func (c *clerk) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "user" || password != "pass!word" {
			return errors.New("unknown")
		}
		c.now.user = user
		return nil
	}), nil
}

func (c *clerk) Mail(from string, _ *smtp.MailOptions) error {
	if c.now.user == "" {
		return smtp.ErrAuthRequired
	}
	c.now.from = from
	return nil
}

func (c *clerk) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.now.to = to
	return nil
}

func (c *clerk) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	_, c.now.encrypted = c.conn.TLSConnectionState()
	c.now.text = string(text)
	c.office.mu.Lock()
	defer c.office.mu.Unlock()
	c.office.letters = append(c.office.letters, c.now)
	return err
}

func (c *clerk) Reset()        { c.now = letter{user: c.now.user} }
func (c *clerk) Logout() error { return nil }

// A mail server that offers STARTTLS gets the password and the letter under it; a
// certificate that nobody vouches for, and a wrong password, are said.
func TestMailUnderSTARTTLS(t *testing.T) {
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	defer certified.Close()
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	office := &office{}
	s := smtp.NewServer(office)
	s.TLSConfig = certified.TLS
	s.Domain = "127.0.0.1"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	defer func() {
		_ = s.Close()
		<-done
	}()

	m := &webtest.Memory{}
	calls(m, time.Now().Add(-10*time.Minute), 25, "tool_error", 9)
	b := newBook(alert.Rule{Name: "a", Project: "shop", Kind: alert.ErrorRate, Above: "1%", Window: "1h", To: []string{"mailto:ops@example.com"}})
	send := func(password string, roots *x509.CertPool) string {
		e := engine(t, m, b, func(o *alert.Options) {
			o.SMTP, o.MailRoots = "smtp://user:"+password+"@"+l.Addr().String()+"?from=umpire@example.com", roots
		})
		results, err := e.Test(t.Context(), "", "a")
		if err != nil || len(results) != 1 {
			t.Fatal(results, err)
		}
		for _, failed := range results {
			return failed
		}
		return ""
	}
	if failed := send("pass%21word", x509.NewCertPool()); !strings.Contains(failed, "cannot encrypt to the mail server") {
		t.Errorf("a stranger's certificate: %q", failed)
	}
	if failed := send("wrong", roots); !strings.Contains(failed, "refuses the sign-in") || strings.Contains(failed, "wrong") {
		t.Errorf("a wrong password: %q", failed)
	}
	if failed := send("pass%21word", roots); failed != "" {
		t.Error(failed)
	}
	office.mu.Lock()
	defer office.mu.Unlock()
	if len(office.letters) != 1 {
		t.Fatalf("%d letters", len(office.letters))
	}
	got := office.letters[0]
	if !got.encrypted || got.user != "user" || got.from != "umpire@example.com" || got.to != "ops@example.com" || !strings.Contains(got.text, "error rate 100.0% of 25 calls") {
		t.Errorf("%+v", got)
	}
}
