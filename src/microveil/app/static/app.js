"use strict";
// On narrow screens the list of pages is folded until somebody opens it.
document.addEventListener("DOMContentLoaded", () => {
  const menu = document.querySelector("details.menu");
  if (menu && matchMedia("(max-width: 760px)").matches) menu.open = false;
  // a refused change is read first
  const problem = document.querySelector("[role=alert]");
  if (problem) { problem.tabIndex = -1; problem.focus(); }
});
// Whoever walks through a list by keys, or goes on to write in the next field, changes the form while the answer to an
// earlier step is on its way: that answer is not shown, and the question is asked again.
const asked = new WeakMap();
const written = (one) => JSON.stringify([...new FormData(one.form)]);
document.addEventListener("htmx:before:request", (event) => {
  if (event.target.form) asked.set(event.target, written(event.target));
});
document.addEventListener("htmx:after:request", (event) => {
  const one = event.target;
  if (!asked.has(one) || !one.form || asked.get(one) === written(one)) return;
  event.preventDefault();
  setTimeout(() => one.dispatchEvent(new Event("change", { bubbles: true })), 200);
});
// At the end of a job the page is loaded anew, unless somebody is writing on it: then the part alone is replaced, and says so.
let touched = false;
document.addEventListener("input", () => { touched = true; });
document.addEventListener("htmx:after:request", (event) => { if (touched) delete event.detail.ctx.hx.refresh; });
// What was changed in a form that saves and was not saved yet is not lost by leaving the page.
let unsaved = false;
document.addEventListener("input", (event) => { if (event.target.closest("form[data-saves]")) unsaved = true; });
document.addEventListener("submit", (event) => { if (event.target.matches("form[data-saves]")) unsaved = false; });
window.addEventListener("beforeunload", (event) => {
  if (!unsaved) return;
  event.preventDefault();
  forget();
});
// A button that was pressed is not pressed twice.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
function forget() { for (const form of document.forms) delete form.dataset.sent; }
window.addEventListener("pageshow", forget);
