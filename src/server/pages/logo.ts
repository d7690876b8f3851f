/** The logo as SVG: a bird. Its quotes are single, for attributes. */
export const logo = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' class='logo' aria-hidden='true'><rect width='32' height='32' rx='7' fill='#2f6f5e'/><path fill='#fff' d='M5 24 14 9c2-4 9-4 10 1l4 2-4 1c0 8-6 12-13 11l-3 3z'/></svg>`
