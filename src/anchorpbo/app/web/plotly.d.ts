// The part of Plotly that the pages use. Traces and layouts are plain data, see https://plotly.com/javascript/reference/.

export type Data = Record<string, unknown>;
export type Layout = Record<string, unknown>;

export interface Plotly {
  react(element: HTMLElement, data: Data[], layout: Layout, config: Record<string, unknown>): Promise<unknown>;
}

declare global {
  interface Window {
    Plotly: Plotly;
  }
}
