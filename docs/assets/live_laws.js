// The figure of a friction model with sliders: the page for browsers (stickslip.html, once for the whole site) in a frame, which takes the
// place of the drawing as soon as it has drawn its own.
document.addEventListener("DOMContentLoaded", function () {
  const theme = () => (document.body.dataset.mdColorScheme === "slate" ? "dark" : "light");
  for (const place of document.querySelectorAll("div.live-law")) {
    const { law, page } = place.dataset, frame = document.createElement("iframe");
    Object.assign(frame, { title: law + ", with sliders", loading: "lazy",
      src: page + "#law=" + law + "&machine=law-alone&embed=1&theme=" + theme() });
    window.addEventListener("message", (event) => {
      if (event.source === frame.contentWindow && event.data === "drawn") place.classList.add("is-live");
    });
    new MutationObserver(() => frame.contentWindow.postMessage({ theme: theme() }, "*"))
      .observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
    place.classList.add("has-frame");
    place.append(frame);
  }
});
