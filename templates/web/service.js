// Uploads with progress, and the state of a job while it runs. Everything else works without it.
(() => {
  "use strict";
  const made = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // On a narrow screen, the step that is shown
  document.querySelector(".steps [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });

  // A job: asked after once a second by one poller, until it ends
  const EVERY = 1000;
  const watch = (panel) => {
    const words = JSON.parse(panel.dataset.words ?? "{}");
    const part = (name) => panel.querySelector(`[data-${name}]`);
    const bar = panel.querySelector("progress");
    let begun = { step: null, at: 0, done: 0 };
    const tell = (element, text) => { if (element && element.textContent !== text) element.textContent = text; };
    const timeLeft = ({ step, done, total }) => {
      if (step !== begun.step || done < begun.done) begun = { step, at: performance.now(), done };
      const gone = (performance.now() - begun.at) / 1000;
      const faster = done - begun.done;
      if (!faster || gone < 2 || total <= 1) return "You may close this page: the work goes on.";
      const left = Math.ceil((gone / faster) * (total - done));
      return left < 90 ? `About ${left} s left in this step.` : `About ${Math.ceil(left / 60)} minutes left in this step.`;
    };
    const mark = (step) => {
      const steps = [...panel.querySelectorAll("[data-step]")];
      const now = steps.findIndex((each) => each.dataset.step === step);
      if (now < 0) return;
      steps.forEach((each, place) => {
        each.classList.toggle("past", place < now);
        if (place === now) each.setAttribute("aria-current", "step");
        else each.removeAttribute("aria-current");
      });
    };
    const show = ({ job, before }) => {
      if (!bar) return;
      if (job.state === "queued") {
        tell(part("says"), before ? `Waiting: ${before} ${before === 1 ? "job comes" : "jobs come"} first.` : "Waiting to begin.");
        return;
      }
      mark(job.step);
      const pieces = job.total > 1 ? `: ${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}` : "";
      tell(part("says"), job.is_cancelled ? "It is being ended." : `${words[job.step] ?? "Beginning"}${pieces}.`);
      if (job.total) { bar.max = job.total; bar.value = job.done; } else bar.removeAttribute("value");
      tell(part("left"), timeLeft(job));
    };
    const ask = async () => {
      try {
        const answer = await fetch(panel.dataset.job, { headers: { accept: "application/json" } });
        if (answer.status === 401 || answer.status === 404) return;
        if (answer.ok) {
          const found = await answer.json();
          if (!["queued", "running"].includes(found.job.state)) {
            if ("quiet" in panel.dataset) { // somebody reads or writes on this page: it is not taken away
              panel.replaceChildren("That is done. ", made("a", { href: location.pathname + location.search, textContent: "Show it" }));
              return;
            }
            location.replace(location.pathname + location.search.replace(/[?&]done=[^&]*/, ""));
            return;
          }
          show(found);
        }
      } catch {
        tell(part("says"), "The service does not answer at the moment. This page goes on asking.");
      }
      setTimeout(ask, EVERY);
    };
    ask();
  };
  if (document.querySelector("[data-again]")) setTimeout(() => location.reload(), 5000);
  const panel = document.querySelector("[data-job]");
  if (panel) watch(panel);

  // A second click on a button while the first is on its way does nothing
  document.addEventListener("submit", (event) => {
    const sent = event.target;
    if (event.defaultPrevented) return;
    const removes = [...sent.querySelectorAll("select[name=choice]")].filter((each) => each.value === "remove").length
      + (sent.querySelector("select[name=many_choice]")?.value === "remove" ? sent.querySelectorAll(sent.querySelector("input[name=many_all]").checked ? "input[name=many]" : "input[name=many]:checked").length : 0);
    const question = removes ? `Remove ${removes} ${removes === 1 ? "file" : "files"}? Earlier revisions keep them.` : sent.dataset.sure;
    if (question && !confirm(question)) { event.preventDefault(); return; }
    if ("sent" in sent.dataset) { event.preventDefault(); return; }
    sent.dataset.sent = "";
  });
  addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((each) => { delete each.dataset.sent; }));

  // Uploads
  const form = document.getElementById("upload");
  if (!form) return;
  const list = form.querySelector(".uploads");
  const says = form.querySelector("[data-says]");
  const drop = form;
  const button = form.querySelector("[data-again-button]");
  const inputs = [...form.querySelectorAll("input[type=file]")];
  const IGNORED = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|__MACOSX\/.*|\.git\/.*)$/;
  const uploads = new Map(); // by path: what is to be sent, and what was
  form.querySelectorAll(".with-script").forEach((each) => { each.hidden = false; });
  form.querySelectorAll(".without-script").forEach((each) => each.remove());
  form.classList.add("scripted");
  let isUnderWay = false;
  addEventListener("beforeunload", (event) => { if (isUnderWay) event.preventDefault(); });

  const add = (file, path) => {
    if (IGNORED.test(path)) return;
    uploads.get(path)?.row.remove();
    const state = made("span", { textContent: size(file.size) });
    const bar = made("progress", { max: Math.max(file.size, 1), value: 0 });
    bar.setAttribute("aria-label", `Upload of ${path}`);
    const row = made("li", {}, made("span", { textContent: path }), bar, state);
    list.append(row);
    uploads.set(path, { file, path, row, bar, state, id: null });
    says.textContent = `${uploads.size} ${uploads.size === 1 ? "file" : "files"} chosen.`;
  };
  const size = (bytes) => (bytes < 1024 ? `${bytes} bytes` : bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`);
  inputs.forEach((input) => input.addEventListener("change", () => {
    [...input.files].forEach((file) => add(file, file.webkitRelativePath || file.name));
    input.value = ""; // what was chosen stands in the list
    upload();
  }));

  // What is dropped, folders with all that is in them
  const entries = (reader) => new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
  const fileOf = (entry) => new Promise((resolve, reject) => { entry.file(resolve, reject); });
  const walk = async (entry) => {
    if (entry.isFile) { add(await fileOf(entry), entry.fullPath.replace(/^\//, "")); return; }
    const reader = entry.createReader();
    for (let some = await entries(reader); some.length; some = await entries(reader)) for (const each of some) await walk(each);
  };
  ["dragenter", "dragover"].forEach((name) => drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); }));
  ["dragleave", "drop"].forEach((name) => drop.addEventListener(name, () => drop.classList.remove("over")));
  drop.addEventListener("drop", async (event) => {
    event.preventDefault();
    const items = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!items.length) [...event.dataTransfer.files].forEach((file) => add(file, file.name));
    try {
      for (const item of items) await walk(item);
    } catch (error) {
      says.textContent = `Not everything could be read (${error.message}), and nothing was uploaded. Choose the folder with the button.`;
      return;
    }
    upload();
  });

  const send = (upload) => new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const done = (text, failed) => {
      upload.state.textContent = text;
      upload.state.classList.toggle("failed", failed);
      resolve();
    };
    request.open("PUT", `${form.dataset.uploads}?path=${encodeURIComponent(upload.path)}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => {
      upload.bar.value = event.loaded;
      upload.state.textContent = `${Math.floor((100 * event.loaded) / Math.max(event.total, 1))}%`;
    });
    request.addEventListener("load", () => {
      if (request.status === 201) {
        upload.id = JSON.parse(request.responseText).id;
        upload.bar.value = upload.bar.max;
        done("received", false);
      } else done(reason(request), true);
    });
    request.addEventListener("error", () => done("broken off", true));
    request.addEventListener("abort", () => done("broken off", true));
    request.send(upload.file);
  });
  const reason = (request) => {
    if (request.status === 413) return "too large";
    try { return JSON.parse(request.responseText).error; } catch { return `refused (${request.status})`; }
  };

  form.addEventListener("submit", (event) => { event.preventDefault(); upload(); });
  const upload = async () => {
    if (isUnderWay) return; // what was added meanwhile is sent with the rest
    if (!uploads.size) { says.textContent = "There is no file in it."; return; }
    const tooLarge = [...uploads.values()].find((each) => each.file.size > Number(form.dataset.most));
    if (tooLarge) { says.textContent = `${tooLarge.path} is larger than one file may be. Compress it, or leave it out.`; uploads.clear(); list.replaceChildren(); return; }
    isUnderWay = true;
    button.hidden = true;
    const tried = new Set();
    const next = () => [...uploads.values()].find((each) => each.id === null && !tried.has(each));
    for (let one = next(); one; one = next()) {
      tried.add(one);
      says.textContent = `Uploading ${tried.size} of ${uploads.size}.`;
      await send(one);
    }
    const failed = [...uploads.values()].filter((each) => each.id === null);
    says.textContent = failed.length ? `${failed.length} of ${uploads.size} did not arrive: what did is kept. Upload again sends only the rest.` : await revise();
    isUnderWay = false;
    button.hidden = !says.textContent;
    if (!says.textContent) location.assign(form.dataset.then);
  };
  const revise = async () => {
    says.textContent = "Everything was received.";
    try {
      const body = JSON.stringify({ base: Number(form.elements.base.value), uploads: [...uploads.values()].map((each) => each.id) });
      const answer = await fetch(form.dataset.revisions, { method: "POST", headers: { "content-type": "application/json" }, body });
      if (answer.ok) return "";
      if (answer.status !== 409) return (await answer.json()).error;
      form.elements.base.value = (await (await fetch(form.dataset.campaign)).json()).head;
      return `${(await answer.json()).error} Or press the button: it adds your files to them.`;
    } catch {
      return "The service did not answer. What was received is kept: upload again.";
    }
  };
})();
