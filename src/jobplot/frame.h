struct canvas;

/* Draws all but the jobs: the title, the axis, the names of the rows, the tail, and how many jobs
   ran at once. 0, or -1 without memory. */
int frame_draw(struct canvas *canvas);
