package umpire

// Judge applies outcomes.md 2 to 5 to what was observed.
func (o *Observation) Judge() Call { panic("not written yet") }
