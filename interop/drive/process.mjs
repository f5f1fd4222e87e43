// What is started beside the driver, and ended with it.

import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

function knock(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => (socket.destroy(), resolve(true)));
    socket.on("error", () => resolve(false));
  });
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Listener is a child that listens on a port.
export class Listener {
  constructor([command, ...args], { env, cwd, port }) {
    this.port = port;
    this.what = [command, ...args].join(" ");
    this.said = "";
    this.child = spawn(command, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
    this.child.stdout.on("data", (chunk) => (this.said += chunk));
    this.child.stderr.on("data", (chunk) => (this.said += chunk));
    this.ended = new Promise((done) => {
      this.child.once("error", (error) => ((this.said += error), done()));
      this.child.once("close", done);
    });
    this.ended.then(() => (this.over = true));
  }

  async ready(seconds = 30) {
    for (let i = 0; i < seconds * 20; i++) {
      if (this.over) break;
      if (await knock(this.port)) return this;
      await pause(50);
    }
    await this.stop();
    throw new Error(`${this.what} does not listen on port ${this.port}:\n${this.said}`);
  }

  async stop() {
    if (this.over) return;
    this.child.kill("SIGTERM");
    await Promise.race([this.ended, pause(5000)]);
    if (!this.over) this.child.kill("SIGKILL");
    await this.ended;
  }
}
