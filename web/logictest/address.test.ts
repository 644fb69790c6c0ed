import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleAddress } from "../host/moduleapi";
import { type Address, administrationFor } from "../dashboard/app/address";
import { parseLink } from "../dashboard/app/link";
import { apiOrigin } from "../dashboard/app/origin";
import { hashOfPath, moduleHash, parseRoute } from "../dashboard/app/route";

test("the API's origin is a canonical one, or the page's own", () => {
	const own = "https://own.example.org";
	assert.equal(apiOrigin("", own), own);
	for (const good of ["https://church.example.org", "http://localhost:3000", "http://[::1]:3000"])
		assert.equal(apiOrigin(good, own), good);
	for (const bad of [
		" ",
		"church.example.org",
		"//church.example.org",
		"https://church.example.org/",
		"https://church.example.org:443",
		"https://CHURCH.example.org",
		"https://user@church.example.org",
		"https://church.example.org/path",
		"https://church.example.org?q",
		"ftp://church.example.org",
		"javascript:alert(1)",
		"data:text/html,x",
		"null",
		"https://",
		"https://a b",
	])
		assert.equal(apiOrigin(bad, own), undefined, bad);
});

test("an emailed link", () => {
	assert.deepEqual(parseLink("?service_auth=verify-email&token=a%2Bb"), {
		purpose: "verify-email",
		token: "a+b",
	});
	assert.deepEqual(parseLink("?token=x&service_auth=reset-password"), {
		purpose: "reset-password",
		token: "x",
	});
	assert.deepEqual(parseLink("?service_auth=accept-invitation&token=x"), {
		purpose: "accept-invitation",
		token: "x",
	});
	assert.deepEqual(parseLink("?service_auth=reset-password"), { purpose: "reset-password", token: "" });
	const others = ["other", "", "verify-email2", "verify"].map((word) => `?service_auth=${word}&token=x`);
	for (const none of ["", "?", "?token=x", ...others])
		assert.equal(parseLink(none), undefined, none);
});

test("a path that somebody typed", () => {
	assert.equal(hashOfPath({ pathname: "/", hash: "#/account" }), "#/account");
	assert.equal(hashOfPath({ pathname: "/m/rota", hash: "" }), "#/m/rota");
	assert.equal(hashOfPath({ pathname: "//evil.example", hash: "" }), "#//evil.example");
	assert.equal(hashOfPath({ pathname: "/m/rota", hash: "#/account" }), "#/account");
});

const screen = (path: string, ...permissions: string[]): Address => ({
	path,
	...(permissions.length > 0 ? { permissions } : {}),
	title: () => path,
	icon: "door",
});

test("a fragment leads somewhere", () => {
	const [home, account] = [screen(""), screen("account")];
	const [modules, settings] = [screen("admin/modules"), screen("admin/modules/:id/settings")];
	const parse = (hash: string) => parseRoute(hash, [home, account, modules, settings]);
	const shown = (screen: Address, params = {}) => ({ to: "screen", screen, params });
	assert.deepEqual(parse(""), shown(home));
	assert.deepEqual(parse("#/"), shown(home));
	assert.deepEqual(parse("#/account"), shown(account));
	assert.deepEqual(parse("#/admin/modules"), shown(modules));
	assert.deepEqual(parse("#/admin/modules/rota/settings"), shown(settings, { id: "rota" }));
	assert.deepEqual(parse("#/admin/modules/a%2Fb/settings"), shown(settings, { id: "a/b" }));
	assert.deepEqual(parse("#/admin/modules/%zz/settings"), shown(settings, { id: "%zz" }));
	assert.deepEqual(parse("#/m/notes"), { to: "module", moduleId: "notes", subpath: "" });
	assert.deepEqual(parse("#/m/notes/"), { to: "module", moduleId: "notes", subpath: "" });
	for (const typed of ["#account", "#/account/", "#//Account//"])
		assert.deepEqual(parse(typed), shown(account), typed);
	for (const typed of ["#/m/Notes", "#m/notes//", "#/M/notes"])
		assert.deepEqual(parse(typed), { to: "module", moduleId: "notes", subpath: "" }, typed);
	assert.deepEqual(parse("#/m/notes//edit/A/"), { to: "module", moduleId: "notes", subpath: "edit/A" });
	const unknown = ["#/m/", "#/m/n_o", "#/x", "#//evil.example", "#/admin", "#/account/x"];
	for (const hash of [...unknown, "#/admin/modules//settings", "#/admin/modules/a/b"])
		assert.deepEqual(parse(hash), { to: "notfound" }, hash);
	for (const own of ["a/b", "edit/1", "größe/50%", "a b", "?q=1&r", "%zz"])
		assert.deepEqual(parse(moduleHash("notes", own)), { to: "module", moduleId: "notes", subpath: own }, own);
	assert.equal(moduleHash("notes", "/a"), "#/m/notes/a");
});

test("the administration offers what the caller may use", () => {
	const all = [
		screen("account"),
		screen("admin/modules", "core.a", "core.b"),
		screen("admin/modules/:id/settings", "core.b"),
		screen("admin/people", "core.c"),
	];
	const offered = (...held: string[]) => administrationFor(all, held).map(({ path }) => path);
	assert.deepEqual(offered(), []);
	assert.deepEqual(offered("core.other"), []);
	assert.deepEqual(offered("core.b"), ["admin/modules"]);
	assert.deepEqual(offered("core.c", "core.a"), ["admin/modules", "admin/people"]);
});

test("a module reaches its own root alone", () => {
	const root = "https://church.example.org/api/v1/modules/notes";
	assert.equal(moduleAddress(root, "/slides?x=1"), root + "/slides?x=1");
	assert.equal(moduleAddress(root, "/a/../b"), root + "/b");
	for (const outside of [
		"",
		"slides",
		"-other/slides",
		"/../stage/x",
		"/..",
		"/%2e%2e/stage",
		"/a/../../stage",
		"/.%2e/stage",
		"\\..\\stage",
		"/\\../../stage",
		"@evil.example/",
		".evil.example/x",
	])
		assert.throws(() => moduleAddress(root, outside), TypeError, outside);
});
