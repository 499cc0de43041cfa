// Small comforts; every page is complete without them.
(() => {
  const all = (selector) => document.querySelectorAll(selector);

  // The reader's own time, beside the UTC that the page says.
  for (const time of all("time[datetime*=T]:not([title])")) {
    const at = new Date(time.dateTime);
    time.title = `${at.toLocaleString(undefined, { dateStyle: "full", timeStyle: "short" })}, your time`;
  }

  const words = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  const ago = (at) => {
    const minutes = Math.round((at - Date.now()) / 60000);
    if (Math.abs(minutes) < 60) return words.format(minutes, "minute");
    if (Math.abs(minutes) < 1440) return words.format(Math.round(minutes / 60), "hour");
    return words.format(Math.round(minutes / 1440), "day");
  };
  const tellAgo = () => {
    for (const time of all("time[data-ago]")) time.dataset.ago = ago(new Date(time.dateTime));
  };
  tellAgo();
  setInterval(tellAgo, 60000);

  // The clipboard is there only on https and on the reader's own machine.
  if (navigator.clipboard) {
    for (const code of all("div.code")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-live", "polite");
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(code.querySelector("pre").innerText);
          button.textContent = "Copied";
        } catch {
          button.textContent = "Not allowed";
        }
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      });
      code.append(button);
    }
  }

  // Mark in the table of contents the heading that was scrolled past last.
  const links = [...all(".contents a")];
  const headings = links.map((link) => document.getElementById(link.hash ? decodeURIComponent(link.hash.slice(1)) : ""));
  const mark = () => {
    const passed = headings.filter((heading) => heading && heading.getBoundingClientRect().top < 120);
    links.forEach((link, i) => {
      if (headings[i] && headings[i] === passed.at(-1)) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    });
  };
  if (links.length) {
    addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
    mark();
  }
})();
