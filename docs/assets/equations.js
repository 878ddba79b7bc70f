// Typesets the equations of a page; without KaTeX they stay LaTeX.
document.addEventListener("DOMContentLoaded", function () {
  if (typeof katex === "undefined") return;
  for (const place of document.querySelectorAll("div.math"))
    katex.render(place.textContent, place, {displayMode: true, throwOnError: false});
});
