import { useId, useState } from "preact/hooks";
import { Checkbox } from "../../../kit/field";
import { hasWords } from "../../../kit/folding";
import { Icon } from "../../../kit/icons";
import type { Permission } from "../../data/grants";
import { t } from "../../words/words";
import { moduleOf, purposeOf } from "../permissions/people";
import { w } from "./words";

interface PermissionPickerProps {
	readonly permissions: readonly Permission[];
	readonly chosen: ReadonlySet<string>;
	readonly error?: string | undefined;
	onChange(chosen: ReadonlySet<string>): void;
}

/** Chooses several permissions by their descriptions. Chosen ones stay visible while others are searched. */
export function PermissionPicker({ permissions, chosen, error, onChange }: PermissionPickerProps) {
	const id = useId();
	const [text, setText] = useState("");
	const query = text.trim();
	const shown = permissions.filter((one) =>
		hasWords(`${purposeOf(one, one.id)} ${moduleOf(one)} ${one.id}`, query),
	);
	const change = (permissionId: string, on: boolean) => {
		const next = new Set(chosen);
		if (on) next.add(permissionId);
		else next.delete(permissionId);
		onChange(next);
	};
	return (
		<fieldset
			class="d-field"
			aria-describedby={error === undefined ? `${id}-help` : `${id}-help ${id}-error`}
		>
			<legend>
				{w("mayDo")} {chosen.size > 0 && <span class="d-optional">{chosen.size}</span>}
			</legend>
			<div class="host-picker">
				<div class="host-picker-find">
					<Icon name="search" size={16} />
					<input
						type="search"
						aria-label={w("findPermission")}
						placeholder={w("findPermission")}
						value={text}
						onInput={(event) => setText(event.currentTarget.value)}
						onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
					/>
				</div>
				<ul>
					{shown.map((one) => (
						<li key={one.id}>
							<Checkbox
								label={purposeOf(one, one.id)}
								checked={chosen.has(one.id)}
								onChange={(on) => change(one.id, on)}
							/>
							<bdi class="d-second">{moduleOf(one)}</bdi>
						</li>
					))}
					{shown.length === 0 && <li class="d-second">{t("noMatch")}</li>}
				</ul>
			</div>
			<p id={`${id}-help`} class="d-help">
				{w("mayDoHelp")}
			</p>
			{error !== undefined && (
				<p id={`${id}-error`} class="d-wrong" role="alert">
					<Icon name="alert" size={16} />
					{error}
				</p>
			)}
		</fieldset>
	);
}
