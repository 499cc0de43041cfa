// Local times, relative times, copy buttons and the current heading; all optional.
(() => {
  const all = (selector, within = document) => within.querySelectorAll(selector);

  // The language of the site, which is not that of every document, with the calendar,
  // the digits and the clock of the pages.
  const tag = document.querySelector(".masthead")?.lang || document.documentElement.lang;
  const language = new Intl.Locale(tag === "en" ? "en-GB" : tag, { calendar: "gregory", numberingSystem: "latn" });

  // Local times as tooltips; the text is in UTC.
  const local = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short", hourCycle: "h23" });
  const addLocalTimes = (within) => {
    for (const time of all("time[datetime*=T]:not([title])", within)) {
      time.title = TEXT("site.local-time").replace("{time}", local.format(new Date(time.dateTime)));
    }
  };

  const relative = new Intl.RelativeTimeFormat(language, { numeric: "always" });
  const ago = (date) => {
    const milliseconds = date - Date.now();
    const minutes = Math.trunc(milliseconds / 60000);
    if (!minutes) return milliseconds > 0 ? TEXT("site.in-a-moment") : TEXT("site.just-now");
    if (Math.abs(minutes) < 60) return relative.format(minutes, "minute");
    if (Math.abs(minutes) < 1440) return relative.format(Math.round(minutes / 60), "hour");
    return relative.format(Math.round(minutes / 1440), "day");
  };
  const showRelativeTimes = (within) => {
    for (const time of all("time[data-ago]", within)) time.dataset.ago = ago(new Date(time.dateTime));
  };
  setInterval(showRelativeTimes, 60000, document);

  const addCopyButtons = (within) => {
    // The clipboard is available only over https and on localhost.
    if (!navigator.clipboard) return;
    for (const code of all("div.code", within)) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = TEXT("docs.copy");
      button.setAttribute("aria-live", "polite");
      code.append(button);
    }
  };
  const copy = async (button, label, write) => {
    try {
      await write();
      button.textContent = TEXT("docs.copied");
    } catch {
      button.textContent = TEXT("docs.copy-failed");
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  };
  document.addEventListener("click", ({ target }) => {
    if (!target.matches(".code > .copy")) return;
    const code = target.parentNode.querySelector("pre").cloneNode(true);
    for (const line of all(".removed", code)) line.remove();
    copy(target, TEXT("docs.copy"), () => navigator.clipboard.writeText(code.textContent));
  });

  // Copy the Markdown of a document. A clipboard that is opened later would refuse it.
  const copyPage = document.querySelector(".copy-page");
  if (copyPage && navigator.clipboard && window.ClipboardItem) {
    const load = async () => {
      const response = await fetch(document.querySelector("link[type='text/markdown']").href);
      if (!response.ok) throw new Error(response.status);
      return new Blob([await response.text()], { type: "text/plain" });
    };
    copyPage.hidden = false;
    copyPage.addEventListener("click", () => {
      const text = load();
      // It may fail before the clipboard waits for it.
      text.catch(() => {});
      copy(copyPage, TEXT("docs.copy-page"), () => navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]));
    });
  }

  const enhance = (within) => [addLocalTimes, showRelativeTimes, addCopyButtons].forEach((add) => add(within));
  enhance(document);
  // A status page announces the content that it is about to show.
  document.addEventListener("update", ({ detail }) => enhance(detail));

  // A long list of pages shows the current one.
  const here = document.querySelector(".pages [aria-current='page']");
  const list = here?.closest(".pages");
  if (list && here.offsetTop > list.clientHeight / 2) list.scrollTop = here.offsetTop - list.clientHeight / 3;

  // Mark the current heading in the table of contents.
  const links = [...all(".contents a, .pages a[href^='#']")];
  const headings = links.map((link) => document.getElementById(link.hash ? decodeURIComponent(link.hash.slice(1)) : ""));
  const markCurrent = () => {
    const passed = headings.filter((heading) => heading && heading.getBoundingClientRect().top < 120);
    links.forEach((link, i) => {
      if (headings[i] && headings[i] === passed.at(-1)) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    });
  };
  if (links.length) {
    addEventListener("scroll", () => requestAnimationFrame(markCurrent), { passive: true });
    markCurrent();
  }
})();
