// A tile is a contribution to home.tiles: one card of Home. README.md is for authors of tiles.
export type { Tile, TileTools } from "@narthex/sdk";
