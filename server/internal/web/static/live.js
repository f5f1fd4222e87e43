// The page of live events: rows as they come, newest first, at most MOST of them.
(() => {
  "use strict";
  const MOST = 200;
  const table = document.querySelector("table.live");
  if (!table || !window.EventSource) return;
  const body = table.tBodies[0];
  const status = document.querySelector(".live-status");
  const pause = document.querySelector(".pause");
  const model = document.getElementById("live-row");
  const marks = {};
  for (const t of document.querySelectorAll("template[data-mark]")) marks[t.dataset.mark] = t;
  const exact = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const seen = new Set([...body.rows].map((r) => r.dataset.id));
  let waiting = []; // while paused, newest last
  let held = false; // the button
  let hovered = false;
  let skipped = 0;
  let fresh = 0;
  let failed = 0;

  // What has no form of its own or turns the direction of writing is shown as a sign.
  const shown = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/g, "\ufffd");
  const clip = (text, n) => { const r = [...text]; return r.length > n ? r.slice(0, n - 1).join("") + "…" : text; };
  const took = (us) => {
    if (us == null) return "–";
    if (us < 1000) return us + " µs";
    if (us < 999500) return us < 10000 ? (us / 1000).toFixed(1) + " ms" : Math.round(us / 1000) + " ms";
    return us < 59950000 ? (us / 1e6).toFixed(1) + " s" : Math.floor(us / 6e7) + " m " + String(Math.round((us % 6e7) / 1e6) % 60).padStart(2, "0") + " s";
  };

  const draw = (e) => {
    const row = model.content.firstElementChild.cloneNode(true);
    row.dataset.id = e.id;
    const query = table.dataset.query ? "?" + table.dataset.query : "";
    const [when, tool, ended, lasted, client] = row.cells;
    when.querySelector("a").href = table.dataset.calls + encodeURIComponent(e.id) + query;
    const time = when.querySelector("time");
    time.dateTime = e.started_at;
    time.textContent = exact.format(new Date(e.started_at));
    const link = tool.querySelector("a");
    if (e.kind === "call") link.href = table.dataset.tools + encodeURIComponent(e.tool) + query;
    tool.querySelector("bdi").textContent = shown(clip(e.tool, 60));
    const mark = marks[e.slice];
    if (mark) ended.querySelector(".slot").append(mark.content.cloneNode(true));
    ended.querySelector(".slice").textContent = mark ? mark.dataset.text : e.kind === "call" ? "set aside" : shown(e.kind);
    const type = e.error_type && e.error_type !== "unknown" ? e.error_type : "";
    const message = [type, clip(e.error_message || "", 160)].filter(Boolean).join(": ");
    if (message) ended.querySelector("small bdi").textContent = shown(message);
    else ended.querySelector("small").remove();
    lasted.textContent = took(e.duration_us);
    const [name, version] = client.querySelectorAll("bdi");
    name.textContent = shown(clip(e.client, 60));
    version.textContent = shown(clip(e.client_version || "", 20));
    body.prepend(row);
    while (body.rows.length > MOST) {
      const old = body.rows[body.rows.length - 1];
      seen.delete(old.dataset.id);
      old.remove();
    }
  };

  const paused = () => held || hovered;
  const flush = () => {
    for (const e of waiting) draw(e);
    waiting = [];
  };
  const tell = () => {
    const parts = [];
    if (paused()) parts.push("Paused" + (waiting.length ? ": " + waiting.length + " waiting" : ""));
    else if (fresh) parts.push(fresh + " new" + (failed ? ", " + failed + " failed" : ""));
    if (skipped) parts.push(skipped + " skipped: they came faster than they can be shown");
    if (parts.length) status.textContent = parts.join(" · ") + ".";
    fresh = failed = 0;
  };
  setInterval(tell, 5000);

  const source = new EventSource(table.dataset.stream);
  source.addEventListener("open", () => { status.textContent = "Connected. Events appear as they are stored."; }, { once: true });
  source.addEventListener("error", () => {
    // Every stream ends some time, and the next one begins by itself.
    if (source.readyState === EventSource.CLOSED) status.textContent = "The connection is lost. Reload the page to go on.";
  });
  source.addEventListener("end", (m) => {
    source.close();
    status.textContent = "The stream has ended: " + shown(JSON.parse(m.data).error.message) + ".";
  });
  source.addEventListener("skipped", (m) => { skipped += JSON.parse(m.data).skipped; });
  source.addEventListener("event", (m) => {
    const e = JSON.parse(m.data);
    if (seen.has(e.id)) return;
    seen.add(e.id);
    fresh++;
    if (e.slice === "bad_args" || e.slice === "tool_error" || e.slice === "crashed") failed++;
    if (!paused()) { draw(e); return; }
    waiting.push(e);
    if (waiting.length > MOST) { seen.delete(waiting.shift().id); skipped++; }
  });
  addEventListener("pagehide", () => source.close());

  pause.addEventListener("click", () => {
    held = !held;
    pause.setAttribute("aria-pressed", String(held));
    pause.textContent = held ? "Go on" : "Pause";
    if (!paused()) flush();
    tell();
  });
  for (const [name, is] of [["mouseenter", true], ["mouseleave", false], ["focusin", true], ["focusout", false]]) {
    body.addEventListener(name, () => {
      hovered = is;
      if (!paused()) flush();
      tell();
    });
  }
})();
