package machine

import (
	"io/fs"
	"os"
)

func system() fs.FS { return os.DirFS("/") }
