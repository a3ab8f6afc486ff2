// Texts that are copied; where the browser refuses, as over plain HTTP, the text is selected for the keyboard
document.querySelectorAll("button[data-copy]").forEach((button) => {
  const said = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(source);
      button.textContent = "Selected: press Ctrl+C";
    }
    setTimeout(() => { button.textContent = said; }, 3000);
  });
});
