package auth

import "github.com/alexedwards/argon2id"

// What the tests check is not how hard the hash is.
func init() {
	hashing = &argon2id.Params{Memory: 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}
