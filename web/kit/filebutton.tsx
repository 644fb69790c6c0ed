import { useRef } from "preact/hooks";
import { Button, type ButtonProps } from "./button";

export interface FileButtonProps
	extends Pick<ButtonProps, "busy" | "busyWords" | "describedBy" | "children"> {
	/** The kinds of files, as in an input: ".csv,text/csv". */
	readonly accept?: string;
	readonly multiple?: boolean;
	/** Called with the files that were chosen, at least one. */
	onFiles(files: readonly File[]): unknown;
}

/** A button that opens the browser's dialog for files. Unlike the browser's own it has the page's words. */
export function FileButton({ accept, multiple, onFiles, ...button }: FileButtonProps) {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<input
				ref={input}
				type="file"
				class="d-unseen"
				tabIndex={-1}
				aria-hidden="true"
				accept={accept}
				multiple={multiple}
				onChange={({ currentTarget }) => {
					const files = [...(currentTarget.files ?? [])];
					currentTarget.value = ""; // so that the same file can be chosen again
					if (files.length > 0) onFiles(files);
				}}
			/>
			<Button icon="upload" {...button} onPress={() => input.current?.click()} />
		</>
	);
}
