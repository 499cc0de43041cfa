// Additions to the editor of documents: a toolbar, pictures where the cursor is, a
// preview while typing, and drafts that stay in the browser until they are saved.
(() => {
  const WAIT = 400;
  const later = (action, time = WAIT) => {
    let timer;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(action, time);
    };
  };
  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  // As if it were typed, so that the browser can undo it.
  const insert = (text, from, to, words) => {
    text.focus();
    text.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, words)) {
      text.setRangeText(words, from, to, "end");
      text.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  const surround = (before, after, example) => (text) => {
    const { selectionStart: from, selectionEnd: to } = text;
    const words = text.value.slice(from, to) || example;
    insert(text, from, to, before + words + after);
    text.setSelectionRange(from + before.length, from + before.length + words.length);
  };
  const startLines = (mark) => (text) => {
    const { value, selectionEnd: to } = text;
    const from = value.lastIndexOf("\n", text.selectionStart - 1) + 1;
    const lines = value.slice(from, to).split("\n");
    insert(text, from, to, lines.map((line) => mark + line).join("\n"));
  };
  const link = (text) => {
    const { selectionStart: from, selectionEnd: to } = text;
    const words = text.value.slice(from, to) || TEXT("editor.text-words");
    insert(text, from, to, `[${words}](https://)`);
    const address = from + words.length + 3;
    text.setSelectionRange(address, address + 8);
  };
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const TOOLS = [
    [TEXT("editor.heading"), "H", startLines("## ")],
    [TEXT("editor.bold"), "B", surround("**", "**", TEXT("editor.bold-words")), "b"],
    [TEXT("editor.italic"), "I", surround("*", "*", TEXT("editor.italic-words")), "i"],
    [TEXT("editor.code"), "<>", surround("`", "`", TEXT("editor.code-words"))],
    [TEXT("editor.link"), "[ ]", link, "k"],
    [TEXT("editor.list"), "•", startLines("- ")],
  ];

  const addToolbar = (text, file) => {
    const bar = element("div", { className: "toolbar" });
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", TEXT("editor.format"));
    const add = (label, sign, act) => {
      const button = element("button", { type: "button", title: label }, sign);
      button.setAttribute("aria-label", label);
      button.addEventListener("click", () => act(text));
      bar.append(button);
    };
    for (const [label, sign, act] of TOOLS) add(label, sign, act);
    if (file) add(TEXT("editor.picture"), TEXT("editor.picture"), () => file.click());
    text.before(bar);
    text.addEventListener("keydown", (event) => {
      const tool = TOOLS.find((each) => each[3] === event.key.toLowerCase());
      if (!tool || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      tool[2](text);
    });
    return bar;
  };

  // A picture gets lines of its own: after the line of the cursor, or before it if the
  // cursor is at its start; without a cursor, at the end. Return where its words are.
  const insertFile = (text, markdown, hasCursor) => {
    const { value, selectionEnd: cursor } = text;
    const isBlock = markdown.startsWith("!") || !hasCursor;
    let at = hasCursor ? cursor : value.length;
    if (isBlock && at > 0 && value[at - 1] !== "\n") {
      const end = value.indexOf("\n", at);
      at = end < 0 ? value.length : end;
    }
    const [before, after] = [value.slice(0, at), value.slice(at)];
    const missing = (part, breaks) =>
      isBlock && part.trim() ? "\n".repeat(Math.max(0, 2 - part.match(breaks)[0].length)) : "";
    const lead = missing(before, /\n*$/);
    insert(text, at, at, lead + markdown + missing(after, /^\n*/));
    return [at + lead.length + markdown.indexOf("[") + 1, at + lead.length + markdown.indexOf("]")];
  };

  const addPictures = (writing, text, file, bar) => {
    const say = element("p", { className: "help" });
    say.setAttribute("role", "status");
    bar.append(say);
    let hasCursor = document.activeElement === text;
    text.addEventListener("focus", () => { hasCursor = true; });
    const field = file.closest(".field");
    field.querySelector(".actions").hidden = true;
    field.querySelector(".help").textContent = TEXT("editor.picture-help");
    const send = async (picture) => {
      if (picture.size > Number(writing.dataset.mostBytes)) {
        say.className = "error";
        say.textContent = fill(TEXT("editor.picture-too-large"), picture);
        return;
      }
      const form = new FormData();
      form.set("projectId", writing.dataset.project);
      form.set("picture", picture, picture.name || "picture.png");
      say.className = "help";
      say.textContent = fill(TEXT("editor.picture-sending"), picture);
      let answer;
      try {
        const response = await fetch(writing.dataset.pictures, { method: "POST", body: form });
        answer = await response.json();
      } catch {
        answer = { problem: TEXT("editor.picture-failed") };
      }
      say.className = answer.markdown ? "help" : "error";
      say.textContent = answer.markdown ? fill(TEXT("editor.picture-added"), picture) : answer.problem;
      return answer.markdown ? insertFile(text, answer.markdown, hasCursor) : undefined;
    };
    const sendAll = async (files) => {
      let words;
      for (const each of files) words = (await send(each)) ?? words;
      if (!words) return say.scrollIntoView({ block: "nearest" });
      // What is typed next describes the file. No browser scrolls to a selection by itself.
      text.setSelectionRange(...words);
      const share = words[0] / text.value.length;
      text.scrollTop = share * text.scrollHeight - text.clientHeight / 2;
      text.scrollIntoView({ block: "center" });
    };
    file.addEventListener("change", async () => {
      await sendAll([...file.files]);
      file.value = "";
    });
    text.addEventListener("paste", (event) => {
      const files = [...event.clipboardData.files];
      // What was copied from a page has both; then the words are meant.
      if (!files.length || event.clipboardData.getData("text/plain")) return;
      event.preventDefault();
      sendAll(files);
    });
    const drop = (isOver) => (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      text.classList.toggle("is-dropping", isOver);
    };
    text.addEventListener("dragover", drop(true));
    text.addEventListener("dragleave", drop(false));
    text.addEventListener("drop", (event) => {
      drop(false)(event);
      sendAll([...event.dataTransfer.files]);
    });
  };

  const addPreview = (form) => {
    const pane = document.getElementById("document.preview");
    const shown = pane.querySelector("[data-shown]");
    const wide = matchMedia("(min-width: 75rem)");
    let asked;
    const show = async () => {
      asked?.abort();
      asked = new AbortController();
      const sent = new FormData(form);
      sent.delete("picture");
      sent.set("_do", "preview");
      sent.set("_part", "1");
      try {
        const options = { method: "POST", body: sent, signal: asked.signal };
        const response = await fetch(form.action, options);
        const page = await response.text();
        if (!response.ok) throw new Error();
        const { body } = new DOMParser().parseFromString(page, "text/html");
        shown.replaceChildren(...body.childNodes);
      } catch (error) {
        if (error.name === "AbortError") return;
        shown.replaceChildren(TEXT("editor.preview-failed"));
      }
    };
    const showSoon = later(show);
    const start = () => {
      form.classList.add("is-live");
      pane.hidden = false;
      form.addEventListener("input", showSoon);
      return show();
    };
    form.querySelector("[value=preview]").addEventListener("click", async (event) => {
      event.preventDefault();
      await (form.classList.contains("is-live") ? show() : start());
      if (!wide.matches) pane.scrollIntoView();
    });
    if (wide.matches) start();
  };

  // Each opened page keeps a draft of its own, so none is overwritten that is offered.
  // One is offered until a version has its words.
  const keepDrafts = (form, writing) => {
    const PREFIX = "masthead.draft.";
    const NEW = PREFIX + "new.";
    const own = `${PREFIX}${writing.dataset.draft}.`;
    let key = own + Math.random();
    const version = form.elements.expectedVersion;
    let isChanged = false;
    const controls = () => [...form.elements].filter((each) =>
      each.name && !each.name.startsWith("_") && each.type !== "file" && each.type !== "hidden");
    const values = () => Object.fromEntries(new FormData(form).entries().filter(
      ([name, value]) => controls().some((each) => each.name === name) && typeof value === "string"));
    const same = (draft, now) =>
      ["title", "content", "summary", "section"].every((name) =>
        (draft.values[name] ?? "").trim() === (now[name] ?? "").trim());
    const keep = () => {
      isChanged = false;
      const draft = { at: Date.now(), version: version?.value, values: values() };
      try {
        localStorage.setItem(key, JSON.stringify(draft));
      } catch {
        // Storage is full or forbidden; the form works without.
      }
    };
    const drafts = () => Object.keys(localStorage)
      .filter((name) => name.startsWith(NEW) || name.startsWith(own))
      .map((name) => ({ name, ...JSON.parse(localStorage.getItem(name)) }))
      .sort((one, other) => other.at - one.at);
    const drop = (draft) => localStorage.removeItem(draft.name);
    const now = values();
    const use = (draft) => {
      // What was typed before stays a draft, and is offered in turn.
      if (!same({ values: values() }, now)) keep();
      key = own + Math.random();
      for (const control of controls()) {
        if (control.type === "radio") control.checked = control.value === draft.values[control.name];
        else if (control.name in draft.values) control.value = draft.values[control.name];
      }
      // It was made from this version, so a newer one is not overwritten unseen.
      if (version) version.value = draft.version;
      form.dispatchEvent(new Event("input", { bubbles: true }));
      keep();
      drop(draft);
    };
    const offer = () => {
      const draft = drafts().find((each) => each.name.startsWith(own) && each.name !== key);
      if (!draft) return;
      const box = element("div", { className: "note draft" });
      const act = (label, action) => {
        const button = element("button", { type: "button", className: "plain" }, label);
        button.addEventListener("click", () => {
          action(draft);
          box.remove();
          offer();
        });
        return button;
      };
      const time = new Date(draft.at).toISOString().slice(0, 16).replace("T", " ");
      const words = element("span", {}, fill(TEXT("editor.draft"), { time }));
      box.append(words, act(TEXT("editor.use-draft"), use), act(TEXT("editor.discard"), drop));
      form.before(box);
    };
    drafts().filter((draft) => same(draft, now)).forEach(drop);
    if ("sent" in writing.dataset) keep();
    else offer();
    const keepSoon = later(keep);
    form.addEventListener("input", () => {
      isChanged = true;
      keepSoon();
    });
    // What is saved is the draft, to the last letter.
    form.addEventListener("submit", keep);
    addEventListener("pagehide", () => {
      if (isChanged) keep();
    });
    document.querySelector("[data-discards-draft]")?.addEventListener("click", () => {
      drafts().filter((draft) => !draft.name.startsWith(NEW)).forEach(drop);
    });
  };

  addEventListener("DOMContentLoaded", () => {
    const writing = document.querySelector(".writing");
    if (!writing) return;
    const form = writing.closest("form");
    const text = writing.querySelector("textarea");
    const file = "pictures" in writing.dataset ? form.elements.picture : null;
    const bar = addToolbar(text, file);
    if (file) addPictures(writing, text, file, bar);
    if ("preview" in writing.dataset) addPreview(form);
    try {
      keepDrafts(form, writing);
    } catch {
      // Without storage, there are no drafts.
    }
  });
})();
