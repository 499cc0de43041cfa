// Additions to the console's pages, all of which work without this script.
(() => {
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
        const isChosen = item.querySelector("input").checked;
        item.hidden = !isChosen && !item.textContent.toLowerCase().includes(words);
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
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(field.value ?? field.textContent);
      button.textContent = "Copied";
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

  addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("[data-search]").forEach(addSearch);
    document.querySelectorAll("[data-copy]").forEach(addCopy);
    for (const form of document.forms) {
      if (form.elements.startsAt && form.elements.endsAt) keepLength(form);
    }
  });
})();
