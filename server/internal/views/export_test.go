package views

import "time"

// Within changes the time that a statement may take, and a copy.
func (v *Views) Within(limit time.Duration) { v.opt.Time = limit }
