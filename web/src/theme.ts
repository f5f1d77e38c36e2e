import type { Look } from "./scene";

export interface Theme extends Look {
  dark: boolean;
  link: string;
  node: string;
  switch: string;
  dead: string;
  faint: string;
  route: string;
  first: string;
  second: string;
  lost: string;
  heat: string[];
  kinds: string[];
}

// Okabe and Ito's colours, which colour-blind people can tell apart
const LIGHT_KINDS = [
  "#0072B2",
  "#D55E00",
  "#009E73",
  "#CC79A7",
  "#8a6d00",
  "#56B4E9",
  "#7b3294",
  "#4d4d4d",
];
const DARK_KINDS = [
  "#56B4E9",
  "#E69F00",
  "#2fc79b",
  "#e39bc4",
  "#F0E442",
  "#8aa8ff",
  "#c79bff",
  "#c0c6cf",
];

export const LIGHT: Theme = {
  dark: false,
  page: "#ffffff",
  text: "#1a1a1a",
  halo: "rgba(255,255,255,0.85)",
  link: "#8a94a3",
  node: "#0072B2",
  switch: "#D55E00",
  dead: "#c9ced6",
  faint: "#d5dae1",
  route: "#b3005e",
  first: "#007a4d",
  second: "#b3005e",
  lost: "#d00000",
  heat: ["#d8dde5", "#fdd49e", "#fdbb84", "#fc8d59", "#ef6548", "#d7301f", "#b30000", "#7f0000"],
  kinds: LIGHT_KINDS,
};

export const DARK: Theme = {
  dark: true,
  page: "#14181f",
  text: "#f2f2f2",
  halo: "rgba(20,24,31,0.85)",
  link: "#66707f",
  node: "#56B4E9",
  switch: "#E69F00",
  dead: "#3a424e",
  faint: "#2f3641",
  route: "#ff7ab8",
  first: "#2fc79b",
  second: "#ff7ab8",
  lost: "#ff5c5c",
  heat: ["#39414d", "#5b3a7a", "#8c2981", "#b73779", "#de4968", "#f7705c", "#fe9f6d", "#fcfdbf"],
  kinds: DARK_KINDS,
};
