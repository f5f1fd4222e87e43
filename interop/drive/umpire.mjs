// A real `umpire serve` with a data directory of its own, and what it counted.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, Listener, pause } from "./process.mjs";

export class Umpire {
  static async start(binary, ...more) {
    const umpire = new Umpire();
    umpire.binary = binary;
    umpire.data = mkdtempSync(join(tmpdir(), "umpire-interop-"));
    const port = await freePort();
    umpire.url = `http://127.0.0.1:${port}`;
    umpire.server = new Listener([binary, "serve", "--data", umpire.data, "--listen", `127.0.0.1:${port}`, ...more], { env: process.env, port });
    await umpire.server.ready();
    return umpire;
  }

  key(project, access) {
    return execFileSync(this.binary, ["key", "add", "--data", this.data, "--project", project, `--${access}`]).toString().trim();
  }

  async read(key, path) {
    const response = await fetch(this.url + "/api/v1/" + path, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  // counts waits until as many events are in as were provoked, or for a while, and
  // returns { "TOOL OUTCOME CAUSE": calls, "TOOL named NAME": calls, cancelled: n,
  // rounds: n }.
  async counts(project, provoked) {
    const key = this.key(project, "read");
    for (let i = 0; i < 60; i++) {
      const { calls, cancelled, rounds } = await this.read(key, "overview?last=24h");
      if (calls + cancelled + rounds >= provoked) break;
      await pause(250);
    }
    await pause(300); // one too many would show by now
    return this.countsNow(key);
  }

  async countsNow(key) {
    const { cancelled, rounds } = await this.read(key, "overview?last=24h");
    const { tools, unknown_tools: unknown } = await this.read(key, "tools?last=24h");
    const counts = {};
    const add = (what, n) => n && (counts[what] = (counts[what] ?? 0) + n);
    add("cancelled", cancelled);
    add("rounds", rounds);
    const names = new Set([...tools.filter(({ calls }) => calls).map(({ tool }) => tool), ...unknown.map(({ name }) => name)]);
    for (const name of names) {
      const tool = await this.read(key, `tools/${encodeURIComponent(name)}?last=24h`);
      add(`${name} ok`, tool.slices.ok);
      add(`${name} empty`, tool.slices.empty);
      for (const { outcome, cause, error_type: type, calls } of tool.failures) {
        add(line(name, { outcome, cause }), calls);
        if (type) add(`${name} named ${type}`, calls);
      }
    }
    return counts;
  }

  async stop() {
    await this.server.stop();
    rmSync(this.data, { recursive: true, force: true });
  }
}

function line(tool, { kind, outcome, empty, cause }) {
  if (kind === "cancelled") return "cancelled";
  if (kind === "round") return "rounds";
  if (outcome === "ok") return `${tool} ${empty ? "empty" : "ok"}`;
  return `${tool} ${outcome} ${cause}`;
}

// provoked counts as Umpire.counts does, from what the scenario wants. Names are in
// it only where the scenario gives one.
export function provoked(steps) {
  const counts = {};
  const add = (what) => (counts[what] = (counts[what] ?? 0) + 1);
  for (const { tool, want } of steps) {
    for (const one of [want].flat()) {
      add(line(tool, one));
      if (one.error_type) add(`${tool} named ${one.error_type}`);
    }
  }
  return counts;
}
