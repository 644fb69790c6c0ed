// One text, filling the screen. Some texts are instructions: they make it throw where a display may.
export default {
	narthex: "display",
	abi: 1,
	definition: {
		mount(container, context) {
			context.addStyle(`
				.wall { display: grid; place-content: center; block-size: 100%; background: #14532d; color: #fff; }
				.wall p { font-size: 9vh; max-inline-size: none; }`);
			const page = document.createElement("div");
			const text = document.createElement("p");
			page.className = "wall";
			page.append(text);
			container.append(page);
			window.mounts = (window.mounts ?? 0) + 1;
			window.context = context;
			const show = (value) => {
				if (value === "throw in update") throw new Error("thrown in an update");
				if (value === "throw in timer") setTimeout(() => { throw new Error("thrown in a timer"); });
				if (value === "throw in promise") Promise.reject(new Error("thrown in a promise"));
				else text.textContent = `${value} (${context.module.version})`;
				window.painted = { value, at: performance.timeOrigin + performance.now() };
			};
			context.realtime("board", { snapshot: show, update: show });
			return () => page.remove();
		},
	},
};
