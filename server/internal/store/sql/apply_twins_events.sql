DELETE FROM events WHERE rowid IN (SELECT row FROM twins WHERE yields)
