// What a reader who does not see, or not well, would stumble over on this page.
() => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  const tell = (each, what) => found.push(`${what}: ${each.outerHTML.slice(0, 120)}`);
  const name = (each) =>
    (each.getAttribute("aria-label") || (each.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent || "").join(" ") || each.textContent || "").trim();

  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`id twice: ${id}`);
  for (const each of document.querySelectorAll("[aria-labelledby], [aria-describedby]")) {
    const named = `${each.getAttribute("aria-labelledby") || ""} ${each.getAttribute("aria-describedby") || ""}`;
    for (const id of named.split(" ")) if (id && !document.getElementById(id)) tell(each, "named by nothing");
  }
  for (const each of all("a[href], button, summary, [role=img], [role=region], section[aria-labelledby], th, nav")) {
    if (!name(each)) tell(each, "no name");
  }
  for (const each of all("svg:not([role=img]):not([aria-hidden=true])")) tell(each, "neither named nor hidden");
  for (const each of all("img:not([alt])")) tell(each, "no alternative");

  let level = 0;
  for (const each of all("h1, h2, h3, h4, h5, h6")) {
    if (Number(each.tagName[1]) > level + 1) tell(each, "level skipped");
    level = Number(each.tagName[1]);
  }
  for (const each of all("ul, ol")) {
    for (const child of each.children) if (child.tagName !== "LI") tell(child, "no item of its list");
  }
  for (const each of all("dl > div > *, dl > :not(div)")) if (!["DT", "DD"].includes(each.tagName)) tell(each, "no term");
  for (const each of all("main *")) {
    const { overflowX, overflowY } = getComputedStyle(each);
    const scrolls = (/auto|scroll/.test(overflowX) && each.scrollWidth > each.clientWidth) || (/auto|scroll/.test(overflowY) && each.scrollHeight > each.clientHeight);
    if (scrolls && each.tabIndex < 0 && !each.querySelector("a, button")) tell(each, "scrolls without a keyboard");
  }

  // Contrast of every text against what is painted behind it.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const paint = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const each = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !each.checkVisibility() || each.closest("title, .unseen, .skip, [aria-hidden=true]")) continue;
    const grounds = ["Canvas"];
    const behind = [];
    for (let at = each; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
    const ground = paint([...grounds, ...behind]);
    const style = getComputedStyle(each);
    const ink = paint([...grounds, ...behind, style.color]);
    const [low, high] = [light(ink), light(ground)].sort((a, b) => a - b);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if ((high + 0.05) / (low + 0.05) < (large ? 3 : 4.5)) tell(each, `contrast ${((high + 0.05) / (low + 0.05)).toFixed(2)}`);
  }
  return [...new Set(found)];
}
