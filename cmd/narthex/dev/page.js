// The script that narthex dev adds to a page: it makes the page mount the saved version, and shows failures.
(() => {
	const stylesheet = `
		div { position: fixed; inset: auto 1rem 1rem; z-index: 2147483647; max-height: 60vh; overflow: auto;
			box-sizing: border-box; padding: 1rem; border-radius: 8px; border: 2px solid #c0392b;
			background: #fff; color: #1b1b1b; font: 14px/1.5 system-ui, sans-serif; text-align: left;
			box-shadow: 0 8px 32px rgb(0 0 0 / 30%); direction: ltr; }
		h1 { margin: 0 2rem .5rem 0; font-size: 1rem; color: #96281b; }
		pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; }
		p { margin: .5rem 0 0; color: #555; }
		button { position: absolute; top: .6rem; right: .6rem; font: inherit; cursor: pointer; }`;
	let banner;
	const show = (failure) => {
		banner?.remove();
		banner = undefined;
		if (!failure) return;
		banner = document.createElement("narthex-dev");
		const root = banner.attachShadow({ mode: "open" });
		const style = document.createElement("style");
		style.textContent = stylesheet;
		const box = document.createElement("div");
		box.setAttribute("role", "alert");
		const title = document.createElement("h1");
		title.textContent = failure.page ? `${failure.module}: an error` : `${failure.module}: ${failure.step} failed`;
		const text = document.createElement("pre");
		text.textContent = failure.text;
		const note = document.createElement("p");
		note.textContent = failure.page
			? "The terminal shows it, too. The page goes on without what failed."
			: "What was saved before still runs.";
		const close = document.createElement("button");
		close.textContent = "Close";
		close.addEventListener("click", () => banner?.remove());
		box.append(title, text, note, close);
		root.append(style, box);
		document.documentElement.append(banner);
	};
	// What goes wrong in a module's code is told with places in its sources, which the server knows.
	const told = new Set();
	const tell = async (text, error) => {
		const [, id] = /^\/display\/([^/]+)/.exec(location.pathname) ?? /^#\/m\/([^/]+)/.exec(location.hash) ?? [];
		const report = JSON.stringify({ module: id ?? "", text, stack: error?.stack ?? "" });
		if (told.has(report) || told.size >= 50) return;
		told.add(report);
		const headers = { "Content-Type": "application/json" };
		const response = await fetch("/_dev/error", { method: "POST", headers, body: report, credentials: "omit" });
		const failure = response.ok && (await response.json());
		if (failure && !known?.failure) show({ ...failure, page: true });
	};
	const report = (before, error) => {
		if (error === undefined || error === null || error.name === "AbortError") return;
		const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
		tell(`${before}: ${words}`, error.cause instanceof Error ? error.cause : error).catch(() => undefined);
	};
	addEventListener("error", ({ error }) => report("error", error));
	addEventListener("unhandledrejection", ({ reason }) => {
		report("error in a promise that nobody awaits", reason);
	});
	const logged = console.error;
	console.error = (...parts) => {
		logged.apply(console, parts);
		const error = parts.findLast((part) => part instanceof Error);
		if (error) report("error", error);
	};
	for (const name of ["append", "appendChild", "prepend", "insertBefore"]) {
		const put = document.head[name];
		document.head[name] = (...nodes) => {
			if (nodes.some((node) => node instanceof HTMLStyleElement)) {
				tell(
					"error: a style element in document.head changes the whole page, and stays when the module is gone; " +
						"use context.addStyle(css)",
					new Error("style"),
				).catch(() => undefined);
			}
			return put.apply(document.head, nodes);
		};
	}
	const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
	let known;
	const take = (state) => {
		// Pages read their data again when the network is back, and then find the new version.
		if (known && known.generation !== state.generation) {
			told.clear();
			dispatchEvent(new Event("online"));
		}
		if (known?.number !== state.number) show(state.failure);
		known = state;
	};
	// number: of the state that is known; none: the server responds at once.
	const read = async (number) => {
		const response = await fetch(`/_dev/state?known=${number}`, { cache: "no-store", credentials: "omit" });
		if (!response.ok) throw new Error(String(response.status));
		return response.json();
	};
	// The request that waits for a change has a connection of the browser for itself, and there are only six.
	// So one page waits for all; the next one does when it goes.
	const lead = async (others) => {
		for (;;) {
			try {
				const state = await read(known?.number ?? "");
				if (known?.number !== state.number) others.postMessage(state);
				take(state);
			} catch {
				await pause(200);
			}
		}
	};
	const poll = async () => {
		for (;;) {
			await read("").then(take, () => undefined);
			await pause(2000);
		}
	};
	try {
		const others = new BroadcastChannel("narthex-dev");
		others.onmessage = ({ data }) => take(data);
		navigator.locks.request("narthex-dev", () => lead(others)).catch(poll);
		read("").then((state) => known ?? take(state), () => undefined);
	} catch {
		void poll(); // a browser without cookies, or a page on plain HTTP
	}
})();
