package gosdk

// WatchedServers is how many servers are remembered.
func WatchedServers() int { return watched.len() }
