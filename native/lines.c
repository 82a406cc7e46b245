/* Lines of blank-separated fields: the rows of a run, and the columns of judgments. */

#include "fields.h"

int grown(void *array, size_t *most, size_t needed, size_t size)
{
    if (needed <= *most)
        return 1;
    size_t n = 2 * needed + 64;
    void *larger = realloc(*(void **)array, n * size);
    if (!larger)
        return 0;
    *(void **)array = larger;
    *most = n;
    return 1;
}

int hold(Data *data, PyObject *bytes)
{
    if (!PyBytes_CheckExact(bytes) && !PyByteArray_CheckExact(bytes)) { /* other types may not end with a zero byte */
        PyErr_SetString(PyExc_TypeError, "lines are bytes or a bytearray");
        return -1;
    }
    if (PyObject_GetBuffer(bytes, &data->view, PyBUF_SIMPLE) < 0)
        return -1;
    data->at = data->view.buf;
    data->end = data->at + data->view.len;
    return 0;
}

void release(Data *data)
{
    PyBuffer_Release(&data->view);
}

/* In stretches whose count fits in a byte, so that compilers can vectorise the loop. */
size_t n_lines(Text data, Text end)
{
    size_t n = 0;
    while (data < end) {
        Text stop = end - data > 192 ? data + 192 : end;
        unsigned char some = 0;
        for (; data < stop; data++)
            some += *data == '\n';
        n += some;
    }
    return n;
}

int is_known(const Layout *layout)
{
    int places[] = {layout->query, layout->document, layout->score}, known = layout->n_fields < MOST_FIELDS;
    for (int i = 0; i < 3; i++)
        known = known && places[i] >= 0 && places[i] < layout->n_fields;
    return known;
}

static int is_long(Rows *rows, size_t row, Text start, Text end, Text data)
{
    if (!grown(&rows->long_number, &rows->most_long, 3 * (rows->n_long + 1), sizeof(size_t)))
        return NO_MEMORY;
    size_t *long_number = rows->long_number + 3 * rows->n_long++;
    long_number[0] = row;
    long_number[1] = start - data;
    long_number[2] = end - start;
    return DONE;
}

static int read_score(Rows *rows, size_t row, Text start, Text end, Text data, Text data_end)
{
    switch (number(start, end, data_end, &rows->score[row])) {
    case NO_NUMBER:
        return IRREGULAR;
    case LONG_NUMBER:
        return is_long(rows, row, start, end, data);
    default:
        return fabs(rows->score[row]) >= EXACT ? IRREGULAR : DONE;
    }
}

/* Allocate room for this many rows; previous content is lost. */
static int has_rows(Rows *rows, size_t most)
{
    if (most <= rows->most_rows)
        return 1;
    free(rows->score);
    free(rows->name);
    free(rows->size);
    rows->score = malloc(most * sizeof(double));
    rows->name = malloc(most * sizeof(Text));
    rows->size = malloc(most * sizeof(uint32_t));
    rows->most_rows = rows->score && rows->name && rows->size ? most : 0;
    return rows->most_rows > 0;
}

int read_rows(Rows *rows, const Layout *layout, Text data, Text end)
{
    Lines lines = lines_of(data, end);
    Text field[MOST_FIELDS], field_end[MOST_FIELDS], query = NULL;
    size_t most = (size_t)(end - data) / (2 * (size_t)layout->n_fields) + 1; /* a field takes at least two bytes */
    size_t query_size = 0;
    int n;
    if (!has_rows(rows, most))
        return NO_MEMORY;
    while ((n = next_line(&lines, layout, field, field_end)) > 0) {
        size_t row = rows->n_rows++, size = field_end[layout->query] - field[layout->query];
        if (n > layout->n_fields && IS_DIGIT(*field[layout->score + 1])) /* perhaps a score such as 1 000 */
            return IRREGULAR;
        int outcome = read_score(rows, row, field[layout->score], field_end[layout->score], data, end);
        if (outcome != DONE)
            return outcome;
        rows->name[row] = field[layout->document];
        rows->size[row] = (uint32_t)(field_end[layout->document] - field[layout->document]);
        if (row == 0 || !same_name(query, query_size, field[layout->query], size)) {
            query = field[layout->query];
            query_size = size;
            if (!grown(&rows->stretch, &rows->most_stretches, rows->n_stretches + 1, sizeof(Stretch)))
                return NO_MEMORY;
            Stretch stretch = {query, (uint32_t)size, (uint32_t)row};
            rows->stretch[rows->n_stretches++] = stretch;
        }
    }
    return n < 0 || rows->n_rows == 0 ? IRREGULAR : DONE;
}

/* Convert scores that need more than one operation with Python's own conversion. */
int convert_long_numbers(const Rows *rows, Text data)
{
    char text[2 * LONGEST_NUMBER];
    for (size_t i = 0; i < rows->n_long; i++) {
        const size_t *long_number = rows->long_number + 3 * i;
        if (long_number[2] >= sizeof text)
            return IRREGULAR;
        memcpy(text, data + long_number[1], long_number[2]);
        text[long_number[2]] = 0;
        double value = PyOS_string_to_double(text, NULL, NULL);
        if (value == -1 && PyErr_Occurred())
            return -1;
        if (fabs(value) >= EXACT)
            return IRREGULAR;
        rows->score[long_number[0]] = value;
    }
    return DONE;
}

void free_rows(Rows *rows)
{
    free(rows->score);
    free(rows->name);
    free(rows->size);
    free(rows->stretch);
    free(rows->long_number);
}

PyObject *line_ends(PyObject *module, PyObject *bytes)
{
    (void)module;
    Data data;
    size_t n;
    if (hold(&data, bytes) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    n = n_lines(data.at, data.end);
    Py_END_ALLOW_THREADS
    release(&data);
    return PyLong_FromSize_t(n);
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t n_bytes, most_bytes;
    unsigned char *data; /* names; a name equal to the previous one is stored once */
    int32_t *start, *length;
    double *number;
} Column;

static int add_name(Column *column, size_t row, Text name, size_t size)
{
    if (row && same_name(column->data + column->start[row - 1], column->length[row - 1], name, size))
        column->start[row] = column->start[row - 1];
    else {
        if (!grown(&column->data, &column->most_bytes, column->n_bytes + size, 1))
            return NO_MEMORY;
        memcpy(column->data + column->n_bytes, name, size);
        column->start[row] = (int32_t)column->n_bytes;
        column->n_bytes += size;
    }
    column->length[row] = (int32_t)size;
    return DONE;
}

static int read_columns(Column *column, const char *kind, const Layout *layout, Text data, Text end, size_t *n_rows)
{
    Lines lines = lines_of(data, end);
    Text field[MOST_FIELDS], field_end[MOST_FIELDS];
    size_t most = n_lines(data, end) + 1, row = 0;
    int n;
    for (int i = 0; i < layout->n_fields; i++) {
        column[i].start = kind[i] == 'n' ? malloc(most * sizeof(int32_t)) : NULL;
        column[i].length = kind[i] == 'n' ? malloc(most * sizeof(int32_t)) : NULL;
        column[i].number = kind[i] == 'd' ? malloc(most * sizeof(double)) : NULL;
        if (kind[i] == 'n' ? !column[i].start || !column[i].length : kind[i] == 'd' && !column[i].number)
            return NO_MEMORY;
    }
    for (; (n = next_line(&lines, layout, field, field_end)) > 0; row++)
        for (int i = 0; i < layout->n_fields; i++) {
            if (kind[i] == 'n' && add_name(&column[i], row, field[i], field_end[i] - field[i]) != DONE)
                return NO_MEMORY;
            if (kind[i] == 'd' && (number(field[i], field_end[i], end, &column[i].number[row]) != NUMBER ||
                                   fabs(column[i].number[row]) >= EXACT))
                return IRREGULAR;
        }
    *n_rows = row;
    return n < 0 ? IRREGULAR : DONE;
}

static PyObject *as_column(const Column *column, size_t n_rows)
{
    if (column->number)
        return as_bytes(column->number, n_rows * sizeof(double));
    if (!column->start)
        return Py_NewRef(Py_None);
    return Py_BuildValue("(NNN)", as_bytes(column->data, column->n_bytes),
                         as_bytes(column->start, n_rows * sizeof(int32_t)),
                         as_bytes(column->length, n_rows * sizeof(int32_t)));
}

/* columns(data, kinds): for each field of every line, by its kind, `n` the names (bytes, starts, lengths), `d` the
   numbers, anything else None; None for all if the lines are not plain. */
PyObject *columns(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *bytes, *result;
    Data data;
    const char *kind;
    Py_ssize_t n_fields;
    Column column[MOST_FIELDS] = {0};
    size_t n_rows = 0;
    if (!PyArg_ParseTuple(arguments, "Oy#", &bytes, &kind, &n_fields) || hold(&data, bytes) < 0)
        return NULL;
    Layout layout = {0, 0, 0, (int)n_fields, 0};
    int outcome = IRREGULAR;
    if (n_fields >= 1 && n_fields < MOST_FIELDS && data.end - data.at < INT32_MAX) {
        Py_BEGIN_ALLOW_THREADS
        outcome = read_columns(column, kind, &layout, data.at, data.end, &n_rows);
        Py_END_ALLOW_THREADS
    }
    release(&data);
    if (outcome == DONE) {
        result = PyTuple_New(n_fields);
        for (int i = 0; result && i < n_fields; i++) {
            PyObject *each = as_column(&column[i], n_rows);
            if (!each || PyTuple_SetItem(result, i, each) < 0)
                Py_CLEAR(result);
        }
    } else
        result = outcome == NO_MEMORY ? PyErr_NoMemory() : Py_NewRef(Py_None);
    for (int i = 0; i < MOST_FIELDS; i++) {
        free(column[i].data);
        free(column[i].start);
        free(column[i].length);
        free(column[i].number);
    }
    return result;
}
