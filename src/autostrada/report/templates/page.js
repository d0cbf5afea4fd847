// Draws each chart into its element from the Vega-Lite document next to it.
for (const element of document.querySelectorAll("[data-chart]")) {
  const spec = JSON.parse(document.getElementById(element.dataset.chart).textContent);
  vegaEmbed(element, spec, {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
  }).catch((error) => {
    element.textContent = "This chart cannot be drawn: " + error;
  });
}
