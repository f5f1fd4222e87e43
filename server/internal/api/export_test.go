package api

// Tables are the routes that are lists.
var Tables = tables
