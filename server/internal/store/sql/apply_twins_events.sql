DELETE FROM packed_events WHERE rowid IN (SELECT row FROM twins WHERE yields)
