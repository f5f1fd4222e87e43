package proxy

import "io"

func (j *Job) front(stderr io.Writer) (Ended, error) { return Ended{}, nil }
