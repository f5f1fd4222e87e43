// Prints the checks that a run of the suite left in a directory, one a line:
// scenario, check, status and what it says of a failure. Times and ids that
// differ from run to run are left out.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const dir = process.argv[2]
const lines = []
for (const run of readdirSync(dir)) {
  const scenario = run.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
  for (const check of JSON.parse(readFileSync(join(dir, run, 'checks.json'), 'utf8'))) {
    lines.push([scenario, check.id, check.name, check.status, check.errorMessage ?? ''].join(' | '))
  }
}
console.log(lines.sort().join('\n'))
