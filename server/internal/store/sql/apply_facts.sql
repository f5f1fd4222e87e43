-- What the batch counts for, once for all rollups.
CREATE OR REPLACE TEMP TABLE batch_facts AS {{- template "facts" "batch"}}
