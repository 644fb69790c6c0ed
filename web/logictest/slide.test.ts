import assert from "node:assert/strict";
import { test } from "node:test";
import {
	changed,
	draftOf,
	emptyDraft,
	problemsOf,
	type Slide,
	statusOf,
	submissionOf,
	withPictureOnly,
} from "../../modules/announcements/ui-src/slide";

const at = (hour: number) => new Date(Date.UTC(2026, 2, 29, hour)).toISOString();
const slide: Slide = {
	id: "1",
	kind: "countdown.slide",
	title: "A",
	body: "b",
	imageId: null,
	payload: { target: 1 },
	position: 1024,
	startsAt: at(10),
	endsAt: at(12),
	enabled: true,
	rev: 3,
};

test("where a notice stands", () => {
	const status = (hour: number, enabled = true) => statusOf({ ...slide, enabled }, Date.parse(at(hour)));
	assert.deepEqual(
		[9, 10, 11, 12, 13].map((hour) => status(hour)),
		["scheduled", "live", "live", "ended", "ended"],
	);
	assert.equal(status(11, false), "off");
	assert.equal(statusOf({ ...slide, startsAt: null, endsAt: null }, 0), "live");
});

test("an edit keeps what it does not touch", () => {
	assert.deepEqual(submissionOf(draftOf(slide), slide), {
		kind: "countdown.slide",
		payload: { target: 1 },
		imageId: null,
		title: "A",
		body: "b",
		startsAt: at(10),
		endsAt: at(12),
		only: null,
		enabled: true,
		rev: 3,
	});
	const only = { weekdays: [7], hours: { from: "09:00", until: "12:00" }, screens: ["Foyer", "Hall"] };
	const restricted = { ...slide, only };
	assert.deepEqual((submissionOf(draftOf(restricted), restricted) as { only: unknown }).only, only);
	assert.deepEqual(changed(slide, false), { ...submissionOf(draftOf(slide), slide), enabled: false });
});

test("a new notice", () => {
	assert.deepEqual(submissionOf({ ...emptyDraft, title: " Lunch " }), {
		kind: "notice",
		payload: null,
		imageId: null,
		title: "Lunch",
		body: "",
		startsAt: null,
		endsAt: null,
		only: null,
		enabled: true,
	});
	const { only } = submissionOf({ ...emptyDraft, screens: " Foyer, ,Hall " }) as { only: unknown };
	assert.deepEqual(only, { weekdays: [], hours: null, screens: ["Foyer", "Hall"] });
	assert.deepEqual(problemsOf({ ...emptyDraft, title: "Lunch", from: "09:00" }), { hours: "hoursNeeded" });
});

test("a picture is shown alone only while there is one", () => {
	const draft = withPictureOnly({ ...emptyDraft, title: "A", imageId: "9" }, true);
	const payload = (of: typeof draft) => (submissionOf(of) as { payload: unknown }).payload;
	assert.deepEqual(payload(draft), { pictureOnly: true });
	assert.equal(payload({ ...draft, imageId: null }), null);
	assert.equal(payload(withPictureOnly(draft, false)), null);
});

test("what a person must mend", () => {
	assert.deepEqual(problemsOf({ ...emptyDraft, title: "  " }), { title: "titleNeeded" });
	assert.deepEqual(
		problemsOf({ ...emptyDraft, title: "A", startsAt: "2026-01-02T10:00", endsAt: "2026-01-02T10:00" }),
		{ endsAt: "endBeforeStart" },
	);
	assert.deepEqual(problemsOf({ ...emptyDraft, title: "A", endsAt: "2026-01-02T10:00" }), {});
});
