package query

// BadParam is an argument that was refused by a rule.
type BadParam struct {
	Path    string `json:"path"`
	Rule    string `json:"rule"`
	Calls   int64  `json:"calls"`
	Clients int64  `json:"clients"`
	Near    string `json:"near,omitempty"`
}
