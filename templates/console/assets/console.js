// Additions to the console's pages, all of which work without this script.
(() => {
  // What is chosen of a list of many boxes stands above it, wherever the list is scrolled
  // to and whatever it is searched for.
  const showChosen = (options) => {
    const chosen = document.createElement("ul");
    chosen.className = "chips chosen";
    chosen.setAttribute("aria-label", TEXT("form.chosen"));
    const show = () => {
      const boxes = [...options.querySelectorAll(":checked")];
      chosen.hidden = boxes.length === 0;
      chosen.replaceChildren(...boxes.map((box) => {
        const name = box.closest("label").querySelector("code, bdi");
        const [item, chip] = ["li", "button"].map((each) => document.createElement(each));
        Object.assign(chip, { type: "button", className: "chip" });
        chip.append(name.cloneNode(true));
        chip.setAttribute("aria-label", `${TEXT("common.remove")}: ${name.textContent}`);
        chip.addEventListener("click", () => {
          box.click();
          (chosen.querySelector("button") ?? box).focus();
        });
        item.append(chip);
        return item;
      }));
    };
    options.before(chosen);
    options.addEventListener("change", (event) => {
      // The field for the search changes when a chip is pressed, which must stay.
      if (event.target.type === "checkbox") show();
    });
    show();
  };

  // A list of many boxes gets a field that hides those without the words in it.
  const addSearch = (options) => {
    const field = document.createElement("input");
    field.type = "search";
    field.className = "search";
    field.placeholder = options.dataset.search;
    field.setAttribute("aria-label", options.dataset.search);
    field.addEventListener("input", () => {
      const words = field.value.trim().toLowerCase();
      for (const item of options.querySelectorAll("li")) {
        item.hidden = !item.textContent.toLowerCase().includes(words);
      }
      for (const heading of options.querySelectorAll(".group")) {
        const list = heading.nextElementSibling;
        heading.hidden = list.hidden = list.querySelector("li:not([hidden])") === null;
      }
      for (const part of options.querySelectorAll("details")) {
        const isFound = part.querySelector("li:not([hidden])") !== null;
        part.hidden = !isFound;
        part.open = isFound && (words !== "" || part.querySelector(":checked") !== null);
      }
    });
    field.addEventListener("keydown", (event) => {
      // Enter would send the form.
      if (event.key === "Enter") event.preventDefault();
    });
    options.prepend(field);
  };

  // The clipboard is available only over https and on localhost.
  const addCopy = (field) => {
    if (!navigator.clipboard) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = TEXT("script.copy");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(field.value ?? field.textContent);
      button.textContent = TEXT("script.copied");
    });
    field.after(button);
  };

  // Whoever moves the start of a period moves its end too.
  const keepLength = (form) => {
    const { startsAt, endsAt } = form.elements;
    let length = NaN;
    const measure = () => {
      const measured = endsAt.valueAsNumber - startsAt.valueAsNumber;
      if (measured > 0) length = measured;
    };
    measure();
    endsAt.addEventListener("input", measure);
    startsAt.addEventListener("input", () => {
      const end = startsAt.valueAsNumber + length;
      if (!Number.isNaN(end)) endsAt.valueAsNumber = end;
    });
  };

  // How long ago a time is, or how far ahead, as the site says it.
  const ago = (milliseconds, words) => {
    const minutes = Math.trunc(milliseconds / 60_000);
    if (!minutes) return milliseconds > 0 ? TEXT("site.in-a-moment") : TEXT("site.just-now");
    if (Math.abs(minutes) < 60) return words.format(minutes, "minute");
    if (Math.abs(minutes) < 1440) return words.format(Math.round(minutes / 60), "hour");
    return words.format(Math.round(minutes / 1440), "day");
  };
  // Beside each time within a week.
  const WEEK = 7 * 86_400_000;
  const showAges = () => {
    const language = new Intl.Locale(document.documentElement.lang, { numberingSystem: "latn" });
    const words = new Intl.RelativeTimeFormat(language);
    for (const time of document.querySelectorAll("main time[datetime*=T]")) {
      const milliseconds = Date.parse(time.dateTime) - Date.now();
      if (!(Math.abs(milliseconds) < WEEK)) continue;
      let age = time.nextElementSibling;
      if (!age?.matches(".age")) {
        age = document.createElement("span");
        age.className = "age";
        time.after(age);
      }
      age.textContent = ` (${ago(milliseconds, words)})`;
    }
  };

  // The overview is loaded again every minute, unless somebody is at something in it.
  const REFRESH = 60_000;
  const keepFresh = (main) => {
    let shown = main.textContent;
    const isBusy = () =>
      document.hidden ||
      main.querySelector("details[open]") !== null ||
      document.activeElement?.matches("input, select, textarea") ||
      getSelection().toString() !== "";
    const refresh = async () => {
      if (isBusy()) return;
      const response = await fetch(location.pathname);
      // Whoever is signed out sees it when they go on.
      if (!response.ok || response.redirected) return clearInterval(timer);
      const text = await response.text();
      const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
      if (isBusy() || fresh.textContent === shown) return;
      shown = fresh.textContent;
      const focused = main.contains(document.activeElement) && document.activeElement;
      const address = focused && focused.getAttribute("href");
      main.replaceChildren(...fresh.childNodes);
      showAges();
      if (focused && focused !== main) {
        const same = address && main.querySelector(`[href="${CSS.escape(address)}"]`);
        (same || main).focus({ preventScroll: true });
      }
    };
    // Without a network, it is tried again.
    const timer = setInterval(() => refresh().catch(() => {}), REFRESH);
  };

  // The server never sees which part of the next page a link leads to.
  const keepFragment = (next) => {
    if (!next.value.includes("#")) next.value += location.hash;
  };

  // The drafts of the editor are for whoever was signed in. A link from elsewhere to
  // this page deletes nothing.
  const deleteDrafts = () => {
    if (!document.referrer.startsWith(`${location.origin}/console/`)) return;
    try {
      Object.keys(localStorage)
        .filter((name) => name.startsWith("masthead.draft."))
        .forEach((name) => localStorage.removeItem(name));
    } catch {
      // Without storage, there are no drafts.
    }
  };

  addEventListener("DOMContentLoaded", () => {
    if (document.querySelector("[data-signed-out]")) deleteDrafts();
    document.querySelectorAll("[name=_next]").forEach(keepFragment);
    const overview = document.querySelector("main[data-refresh]");
    if (overview) keepFresh(overview);
    showAges();
    setInterval(showAges, 60_000);
    for (const options of document.querySelectorAll("[data-search]")) {
      showChosen(options);
      addSearch(options);
    }
    document.querySelectorAll("[data-copy]").forEach(addCopy);
    for (const form of document.forms) {
      if (form.elements.startsAt && form.elements.endsAt) keepLength(form);
    }
  });
})();
