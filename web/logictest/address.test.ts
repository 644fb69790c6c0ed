import assert from "node:assert/strict";
import { test } from "node:test";
import { moduleAddress } from "../host/moduleapi";
import { parseLink } from "../dashboard/app/link";
import { apiOrigin } from "../dashboard/app/origin";
import { moduleHash, parseRoute } from "../dashboard/app/route";

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
	assert.deepEqual(parseLink("?service_auth=reset-password"), { purpose: "reset-password", token: "" });
	for (const none of ["", "?", "?token=x", "?service_auth=other&token=x", "?service_auth=&token=x"])
		assert.equal(parseLink(none), undefined, none);
});

test("a fragment leads somewhere", () => {
	assert.deepEqual(parseRoute(""), { to: "start" });
	assert.deepEqual(parseRoute("#/"), { to: "start" });
	assert.deepEqual(parseRoute("#/account"), { to: "account" });
	assert.deepEqual(parseRoute("#/m/notes"), { to: "module", moduleId: "notes", subpath: "" });
	assert.deepEqual(parseRoute("#/m/notes/"), { to: "module", moduleId: "notes", subpath: "" });
	for (const nowhere of ["#account", "#/m/", "#/m/No", "#/x", "#//evil.example"])
		assert.deepEqual(parseRoute(nowhere), { to: "nowhere" }, nowhere);
	for (const own of ["a/b", "edit/1", "größe/50%", "a b", "?q=1&r", "%zz"]) {
		assert.deepEqual(
			parseRoute(moduleHash("notes", own)),
			{ to: "module", moduleId: "notes", subpath: own },
			own,
		);
	}
	assert.equal(moduleHash("notes", "/a"), "#/m/notes/a");
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
