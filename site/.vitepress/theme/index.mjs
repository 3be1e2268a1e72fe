/** The default look with the fonts of the system: nothing is fetched for it. */

import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

export default DefaultTheme;
