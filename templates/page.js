// Contents that mark the section in view, and parts that open when a link leads into them.
(() => {
  "use strict";
  // Contents
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const mark = () => {
    const ids = [...links.keys()].filter((id) => document.getElementById(id)?.getBoundingClientRect().top < Math.min(innerHeight / 3, 300));
    const now = links.get(ids.at(-1) ?? [...links.keys()][0]);
    links.forEach((link) => (link === now ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  };
  addEventListener("scroll", mark, { passive: true });
  mark();

  // A box takes the focus only while there is something to scroll to in it
  const boxes = [...document.querySelectorAll(".scroll[tabindex]")];
  const reach = () => boxes.filter((box) => box.checkVisibility()).forEach((box) => { box.toggleAttribute("tabindex", box.scrollWidth > box.clientWidth + 1); if (box.hasAttribute("tabindex")) box.tabIndex = 0; });
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  reach();

  // Folded parts
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.hash === location.hash) open(); // the fragment is there already: nothing changes
  });
  open();
})();
