// A library's MCP server in plain JavaScript, without an SDK and without Umpire:
// what the proxy shows of it, it sees on the wire. Node 20 or later.
import { createInterface } from 'node:readline'

const books = { 'moby-dick': 3, emma: 0, ulysses: 1 }

const slug = { type: 'object', properties: { book: { type: 'string' } }, required: ['book'] }
const tools = [
  { name: 'find_books', description: 'The books whose name holds a word.', inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } },
  { name: 'lend_book', description: 'Lends a book.', inputSchema: slug },
  { name: 'burn_down', description: 'Ends the library, in the middle of the call.', inputSchema: { type: 'object' } },
]

const text = (s) => ({ content: [{ type: 'text', text: s }] })
const refused = (s) => ({ ...text(s), isError: true })

function call({ name, arguments: args = {} }) {
  switch (name) {
    case 'find_books': {
      if (typeof args.word !== 'string') return refused("Input validation error: 'word' is a required property")
      const found = Object.keys(books).filter((b) => b.includes(args.word))
      return { ...text(JSON.stringify(found)), structuredContent: { books: found } }
    }
    case 'lend_book':
      if (!(args.book in books)) return refused(`there is no book ${args.book}`)
      if (books[args.book] === 0) return refused(`every copy of ${args.book} is lent`)
      books[args.book]--
      return text(`${args.book}: bring it back in two weeks`)
    case 'burn_down':
      process.exit(1)
  }
}

const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'library', version: '1.0.0' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': call,
}

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const result = methods[method]?.(params)
  const answer = result
    ? { jsonrpc: '2.0', id, result }
    : { jsonrpc: '2.0', id, error: method === 'tools/call' ? { code: -32602, message: `Unknown tool: ${params.name}` } : { code: -32601, message: 'Method not found' } }
  console.log(JSON.stringify(answer))
}
