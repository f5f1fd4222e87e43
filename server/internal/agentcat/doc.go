// Package agentcat is the door for the SDKs of AgentCat, once called MCPCat, in all
// of their languages.
//
// In: POST /v1/public/events, one event a request, with the project's id in the
// body as its only credential; names in camel and in snake case. Out: events for
// the pipeline, judged again by outcomes.md. Events come out of order, and every
// second one leaves its client out: it is carried over from others of its session.
//
// It always answers 2xx with a JSON body, whatever came and whatever happens: those
// SDKs end the process of their host over any other answer. What cannot be taken is
// set aside and counted (door.Front.SetAside).
package agentcat
