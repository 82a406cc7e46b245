/* The functions that Python can call. */

#include "native.h"

#define VERSION 11 /* of the interface; `extension.py` accepts no other */

PyObject *as_bytes(const void *data, size_t size)
{
    return PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
}

/* A bytearray whose bytes are not set: setting what is then overwritten takes as long as reading some files. */
static PyObject *unset_bytes(PyObject *module, PyObject *size)
{
    (void)module;
    Py_ssize_t n = PyLong_AsSsize_t(size);
    if (n < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "the number of bytes is negative");
    return n < 0 ? NULL : PyByteArray_FromStringAndSize(NULL, n);
}

static PyMethodDef methods[] = {
    {"index", new_index, METH_VARARGS, "An index of judged documents, in which rankings are looked up."},
    {"count_block", count_block, METH_VARARGS, "The ranks of judged documents in a block of lines."},
    {"gather_block", gather_block, METH_VARARGS, "The rows of a block of lines, grouped by query."},
    {"gathered", gathered_blocks, METH_VARARGS, "The rows of all blocks of a run, grouped by query."},
    {"count_gathered", count_gathered, METH_VARARGS, "The ranks of judged documents in a run that was gathered."},
    {"columns", columns, METH_VARARGS, "The fields of lines as columns; None if the lines are not plain."},
    {"line_ends", line_ends, METH_O, "The number of line ends in bytes."},
    {"unset_bytes", unset_bytes, METH_O, "A bytearray of this length with arbitrary content."},
    {"ranked", ranked, METH_VARARGS, "The judged documents that have a rank, by query and rank."},
    {"judged_order", judged_order, METH_VARARGS, "Judgments by query, best grade first; None if some are repeated."},
    {"judged_dicts", judged_dicts, METH_O, "The documents and grades of dicts, best grade first."},
    {"count_dicts", count_dicts, METH_VARARGS, "The ranks of judged documents in dicts."},
    {NULL, NULL, 0, NULL},
};

static int add_constants(PyObject *module)
{
    return PyModule_AddIntConstant(module, "VERSION", VERSION) < 0 ||
                   PyModule_AddIntConstant(module, "IRREGULAR", IRREGULAR) < 0 ||
                   PyModule_AddIntConstant(module, "SCATTERED", SCATTERED) < 0
               ? -1
               : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)add_constants}, {0, NULL}};

/* Initialised in several phases, without state: each interpreter has a module of its own. */
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "Rankings counted in C.", 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&definition);
}
