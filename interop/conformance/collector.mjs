// A native door for tests: writes "kind tool outcome" of each event to a file, a
// line each. Prints its address first.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'

const file = process.argv[2]
const server = createServer(async (req, res) => {
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const { events } = JSON.parse(req.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body)
  for (const e of events) appendFileSync(file, `${e.kind} ${e.tool} ${e.outcome}\n`)
  res.setHeader('Content-Type', 'application/json')
  res.end(JSON.stringify({ accepted: events.length, duplicates: 0 }))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
