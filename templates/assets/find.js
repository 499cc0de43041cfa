// The search box: it replaces the link, and loads the search when it is first used.
(() => {
  const box = document.querySelector("[data-search]");
  if (!box) return;
  const searchPage = new URL("../search/", document.currentScript.src).pathname;
  const input = document.createElement("input");
  Object.assign(input, { type: "search", autocomplete: "off", spellcheck: false, enterKeyHint: "search" });
  input.placeholder = TEXT("search.title");
  input.setAttribute("aria-label", TEXT("search.title"));
  input.setAttribute("aria-keyshortcuts", "/");
  box.querySelector("a, p").replaceWith(input);

  let attached;
  const attach = () => {
    // If loading fails, the next focus tries again.
    attached ??= import(box.dataset.search).then((search) => search.attach(box, input)).catch(() => { attached = null; });
  };
  input.addEventListener("focus", attach);
  input.addEventListener("keydown", (event) => {
    const query = input.value.trim();
    if (event.key === "Enter" && query && !box.matches(".large")) location.assign(`${searchPage}?q=${encodeURIComponent(query)}`);
  });
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  if (box.matches(".large")) input.focus();
})();
