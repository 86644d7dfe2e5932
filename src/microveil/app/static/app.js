"use strict";
// On narrow screens the list of pages is folded until somebody opens it.
document.addEventListener("DOMContentLoaded", () => {
  const menu = document.querySelector("details.menu");
  if (menu && matchMedia("(max-width: 760px)").matches) menu.open = false;
  // a refused change is read first
  const problem = document.querySelector("[role=alert]");
  if (problem) { problem.tabIndex = -1; problem.focus(); }
});
// Whoever walks through a list by keys changes it with every step: an answer to an earlier step is not shown.
document.addEventListener("htmx:before:request", (event) => {
  if (event.target instanceof HTMLSelectElement) event.target.dataset.asked = event.target.value;
});
document.addEventListener("htmx:after:request", (event) => {
  if (event.target instanceof HTMLSelectElement && event.target.dataset.asked !== event.target.value) event.preventDefault();
});
