package query

import "context"

// Clients answers: which client's calls fail, and how? Most calls first.
func Clients(ctx context.Context, src Source, p Params) (ClientsAnswer, error) {
	return asOne(ctx, src, func(src Source) (ClientsAnswer, error) { return clientsOf(ctx, src, p) })
}

func clientsOf(ctx context.Context, src Source, p Params) (ClientsAnswer, error) {
	if _, err := keptFor(ctx, src, p.Filter); err != nil {
		return ClientsAnswer{}, err
	}
	lines, err := clientLines(ctx, src, p)
	if err != nil {
		return ClientsAnswer{}, err
	}
	unseen, err := unseenOf(ctx, src, p.Filter)
	if err != nil {
		return ClientsAnswer{}, err
	}
	unseen.blankClients(lines)
	return ClientsAnswer{Header: p.header(), Clients: lines, NotReported: unseen.list}, nil
}

func clientLines(ctx context.Context, src Source, p Params) ([]ClientLine, error) {
	rows, err := src.ByClient(ctx, p.Filter)
	if err != nil {
		return nil, err
	}
	lines := make([]ClientLine, 0, len(rows))
	for _, r := range rows {
		s := slicesOf(r.Counts)
		sessions, seen := r.Sessions, r.LastSeen
		lines = append(lines, ClientLine{
			Client: r.Client, Versions: append([]string{}, r.Versions...), Calls: r.Calls,
			OK: &s.OK, Empty: &s.Empty, BadArgs: &s.BadArgs, ToolError: &s.ToolError, Crashed: &s.Crashed,
			P95US: latency(r.Latency).P95, Sessions: &sessions, LastSeen: &seen,
		})
	}
	return lines, nil
}
