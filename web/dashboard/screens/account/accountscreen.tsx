import { useId } from "preact/hooks";
import { signOut } from "../../shell/accountmenu";
import type { App } from "../../app/app";
import { CopyId } from "./copyid";
import { Heading } from "../../shell/heading";
import { locales } from "../../words/language";
import { languageChoice, type ThemeChoice, themeChoice } from "../../app/preferences";
import { t } from "../../words/words";

const themes: readonly (readonly [ThemeChoice, "themeSystem" | "themeLight" | "themeDark"])[] = [
	["system", "themeSystem"],
	["light", "themeLight"],
	["dark", "themeDark"],
];

/** The person's own page. Appearance and language are kept in this browser, everything else on the server. */
export function AccountScreen({ app, userId }: { readonly app: App; readonly userId: string }) {
	const language = useId();
	return (
		<>
			<Heading title={t("account")} />
			<div class="settings">
				<section class="card">
					<h2>{t("yourId")}</h2>
					<p class="muted">{t("yourIdHelp")}</p>
					<CopyId app={app} userId={userId} />
				</section>
				<section class="card">
					<fieldset>
						<legend>
							<h2>{t("appearance")}</h2>
						</legend>
						<div class="row">
							{themes.map(([choice, words]) => (
								<label class="choice" key={choice}>
									<input
										type="radio"
										name="theme"
										value={choice}
										checked={themeChoice.value === choice}
										onChange={() => (themeChoice.value = choice)}
									/>
									{t(words)}
								</label>
							))}
						</div>
					</fieldset>
				</section>
				<section class="card">
					<h2>
						<label for={language}>{t("language")}</label>
					</h2>
					<select id={language} value={languageChoice.value} onChange={(event) => (languageChoice.value = event.currentTarget.value)}>
						<option value="">{t("languageSystem")}</option>
						{locales
							.filter(({ name }) => name !== undefined)
							.map(({ tag, name }) => (
								<option key={tag} value={tag} lang={tag}>
									{name}
								</option>
							))}
					</select>
				</section>
				<section class="card">
					<h2>{t("signOut")}</h2>
					<p class="muted">{t("signOutHelp")}</p>
					<button type="button" onClick={() => signOut(app)}>
						{t("signOut")}
					</button>
				</section>
			</div>
		</>
	);
}
