package gosdk

// Enter is what a handler that was added by AddTool does first.
var Enter = enter
