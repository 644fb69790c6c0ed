// Opens pages of a house in Chromium and prints one JSON object: what Lighthouse gives each page in two profiles,
// and how long a person waits for a page in a profile. Run by narthex-bench -lighthouse, which reads it:
//
//	node run.mjs '{"chromium": "/usr/bin/chromium", "origin": "http://localhost:3000",
//	  "session": {"name": "narthex_session", "value": "..."}, "pages": [{"path": "/", "signedIn": true}],
//	  "waits": [{"path": "/#/m/rota/mine", "shown": "main li", "count": 6}], "rounds": 3}'
//
// The profiles are Lighthouse's own: "phone" has a processor four times as slow, 1.6 Mbit/s and 150 ms.
import lighthouse, { desktopConfig } from "lighthouse";
import puppeteer from "puppeteer-core";

const { chromium, origin, session, pages, waits, rounds } = JSON.parse(process.argv[2]);
const phone = { processor: 4, latency: 150, bytes: (1.6 * 1024 * 1024) / 8 };

const browser = await puppeteer.launch({
	executablePath: chromium,
	args: process.getuid() === 0 ? ["--no-sandbox"] : [],
	timeout: 120_000,
	protocolTimeout: 300_000,
});

/** Gives use a page without a cache, with the session of a person unless it is for visitors. */
async function inNewContext(signedIn, use) {
	const context = await browser.createBrowserContext();
	try {
		if (signedIn) await context.setCookie({ ...session, domain: new URL(origin).hostname, httpOnly: true });
		return await use(await context.newPage());
	} finally {
		await context.close();
	}
}

async function judged(profile, { path, signedIn }) {
	const { lhr } = await inNewContext(signedIn, (page) =>
		lighthouse(
			origin + path,
			{ disableStorageReset: true, onlyCategories: ["performance", "accessibility", "best-practices"], logLevel: "error" },
			profile === "desktop" ? desktopConfig : undefined,
			page,
		),
	);
	if (lhr.runtimeError) throw new Error(`${path}: ${lhr.runtimeError.code}`);
	const score = (category) => Math.round(100 * (lhr.categories[category].score ?? 0));
	// What is below its best, worst first, for whoever mends it.
	const named = Object.values(lhr.categories)
		.flatMap(({ auditRefs }) => auditRefs)
		.map(({ id, weight }) => ({ audit: lhr.audits[id], weight }))
		.filter(({ audit, weight }) => weight > 0 && audit.score !== null && audit.score < 0.9)
		.map(({ audit }) => `${audit.id} ${audit.displayValue ?? ""}`.trim());
	return {
		...{ path, profile, performance: score("performance"), accessibility: score("accessibility") },
		...{ bestPractices: score("best-practices"), shift: lhr.audits["cumulative-layout-shift"].numericValue ?? 0 },
		named: [...new Set(named)],
	};
}

/** Milliseconds from the address to a list of count entries, at the first visit and at the second one. */
async function waited({ path, shown, count }) {
	return inNewContext(true, async (page) => {
		await page.evaluateOnNewDocument(
			(selector, entries) => {
				const look = () => {
					if (window.shownAfter !== undefined || document.querySelectorAll(selector).length < entries) return;
					requestAnimationFrame(() => requestAnimationFrame(() => (window.shownAfter ??= performance.now())));
				};
				new MutationObserver(look).observe(document, { childList: true, subtree: true });
			},
			...[shown, count],
		);
		const client = await page.createCDPSession();
		await page.setViewport({ width: 412, height: 823, deviceScaleFactor: 1.75, isMobile: true, hasTouch: true });
		await page.emulateCPUThrottling(phone.processor);
		await client.send("Network.enable");
		await client.send("Network.emulateNetworkConditions", {
			...{ offline: false, latency: phone.latency, downloadThroughput: phone.bytes, uploadThroughput: phone.bytes },
		});
		const visit = async () => {
			await page.goto("about:blank");
			await page.goto(origin + path, { waitUntil: "domcontentloaded", timeout: 120_000 });
			await page.waitForFunction(() => window.shownAfter !== undefined, { timeout: 120_000 });
			const after = await page.evaluate(() => window.shownAfter);
			await page.evaluate(() => new Promise((rest) => setTimeout(rest, 3000))); // what loads later is stored, too
			return after;
		};
		return { path, first: await visit(), second: await visit() };
	});
}

const report = { pages: [], waits: [] };
try {
	for (const profile of ["phone", "desktop"]) {
		for (const page of pages) report.pages.push(await judged(profile, page));
	}
	for (let round = 0; round < rounds; round++) {
		for (const wait of waits) report.waits.push(await waited(wait));
	}
} finally {
	await browser.close();
}
console.log(JSON.stringify(report));
