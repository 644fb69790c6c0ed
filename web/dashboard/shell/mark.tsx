/** The entrance: a door within a door. */
export function Mark({ size = 40 }: { readonly size?: number }) {
	return (
		<svg class="mark" width={size} height={size} viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" aria-hidden="true">
			<path d="M6 28V15a10 10 0 0 1 20 0v13M12 28V17a4 4 0 0 1 8 0v11M3 28h26" />
		</svg>
	);
}

export function Caret() {
	return (
		<svg class="caret" viewBox="0 0 10 10" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
			<path d="M1.5 3.2 5 6.8l3.5-3.6" />
		</svg>
	);
}
