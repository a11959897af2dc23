// The part of Plotly that the pages use. Traces and layouts are plain data, see https://plotly.com/javascript/reference/.

export type Data = Record<string, unknown>;
export type Layout = Record<string, unknown>;

/** What the server adds to a trace. */
export interface Meta {
  /** Values along each axis, by parameter. */
  axes?: Record<string, (string | number | boolean)[]>;
  /** What the trace marks. */
  marks?: "anchors" | "duels";
}

export interface Figure {
  data: Data[];
  layout: Layout;
}

/** A point that was clicked. */
export interface Point {
  /** The trace. */
  data: { meta?: Meta };
  /** Place of the point in its trace: of a heat map, its row and column. */
  pointNumber: number | [number, number];
  customdata?: string | number;
}

/** An element that holds a plot. */
export interface PlotElement extends HTMLElement {
  on(event: "plotly_click", handler: (event: { points: Point[] }) => void): void;
  removeAllListeners(event: "plotly_click"): void;
}

export interface Plotly {
  react(element: HTMLElement, data: Data[], layout: Layout, config: Record<string, unknown>): Promise<unknown>;
}

declare global {
  interface Window {
    Plotly: Plotly;
  }
}
