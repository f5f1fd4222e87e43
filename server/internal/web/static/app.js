// What the pages do more with JavaScript than without: nothing that is needed.
(() => {
  "use strict";
  document.documentElement.classList.add("js");

  // The filters: a choice is sent at once, and empty fields are left out.
  const form = document.querySelector(".filters");
  if (form) {
    form.addEventListener("change", () => form.requestSubmit());
    form.addEventListener("submit", () => {
      const picked = form.elements.last.value !== "";
      for (const field of form.elements) {
        const stale = picked && (field.name === "from" || field.name === "to");
        if (field.name && (field.value === "" || stale)) field.disabled = true;
      }
    });
    // Back from another page: the fields as they were loaded.
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  }

  // The keys: / goes to the filters, ? lists the keys.
  const keys = document.querySelector(".keys");
  addEventListener("keydown", (event) => {
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && form) {
      event.preventDefault();
      form.querySelector("select").focus();
    } else if (event.key === "?" && keys) {
      event.preventDefault();
      keys.open ? keys.close() : keys.showModal();
    }
  });

  // A menu closes when something else is wanted.
  for (const menu of document.querySelectorAll(".menu")) {
    document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
    menu.addEventListener("focusout", (event) => { if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false; });
  }

  // Times in the viewer's zone. Days stay days in UTC: they are counted so.
  const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  const exact = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (isNaN(at)) continue;
    time.title = time.textContent;
    time.textContent = ("seconds" in time.dataset ? exact : short).format(at);
  }
  for (const tick of document.querySelectorAll(".tick[data-at]")) {
    if (/^\d\d:\d\d$/.test(tick.textContent)) tick.textContent = clock.format(new Date(tick.dataset.at));
  }
  for (const bar of document.querySelectorAll("a.bar[data-at]")) {
    const title = bar.querySelector("title");
    const end = title.textContent.indexOf(" UTC");
    if (end > 0) title.textContent = short.format(new Date(bar.dataset.at)) + title.textContent.slice(end + 4);
  }
  for (const zone of document.querySelectorAll("[data-zone]")) {
    zone.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone || "your time zone";
  }

  // The bar that is pointed at or focused is read out above the chart.
  const readout = document.querySelector(".readout");
  if (readout) {
    const idle = readout.textContent;
    const show = (event) => {
      const bar = event.target.closest(".bar");
      readout.textContent = bar ? bar.querySelector("title").textContent : idle;
    };
    const chart = readout.parentElement.querySelector(".plot");
    chart.addEventListener("pointerover", show);
    chart.addEventListener("focusin", show);
    chart.addEventListener("pointerleave", () => { readout.textContent = idle; });
    chart.addEventListener("focusout", () => { readout.textContent = idle; });
  }

  // A new install: look every few seconds, and reload when there is something.
  const waiting = document.querySelector("[data-wait]");
  {
    for (const pre of document.querySelectorAll("[data-wait] pre, [data-copy] pre")) {
      if (!navigator.clipboard) break;
      const copy = document.createElement("button");
      copy.type = "button";
      copy.className = "copy";
      copy.textContent = "Copy";
      const text = pre.textContent;
      copy.addEventListener("click", async () => {
        await navigator.clipboard.writeText(text);
        copy.textContent = "Copied";
      });
      pre.append(copy);
    }
  }
  if (waiting) {
    const look = async () => {
      try {
        const answer = await fetch(location.href, { cache: "no-store" });
        if (answer.ok && !(await answer.text()).includes("data-wait")) location.reload();
      } catch { /* the server is away: look again */ }
    };
    setInterval(() => { if (!document.hidden) look(); }, 4000);
  }
})();
